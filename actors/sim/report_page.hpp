// SPDX-License-Identifier: MIT
// The parts of a report that are the same in each: its looks and the few lines
// of script that follow the pointer. Both are well-formed XML as they stand.
#pragma once

#include <string_view>

namespace baton::sim {

inline constexpr std::string_view report_style = R"css(
:root{color-scheme:light dark;--bg:#fbfbf9;--fg:#1d2126;--dim:#6a7079;
--line:#d5d7da;--card:#fff;--bad:#c81e3a;--good:#1a7f43;--fault:#b3261e;
--band:#c81e3a1c;--fold:#8884;
--r0:#2563c9;--r1:#c2570c;--r2:#0f8a6d;--r3:#9333b8;--r4:#8a7100;--r5:#c02674;
--r6:#4b6b1f;--r7:#4e5a8c}
@media (prefers-color-scheme:dark){:root{--bg:#14171b;--fg:#e4e6e8;
--dim:#949ba5;--line:#343a42;--card:#1c2026;--bad:#ff6b81;--good:#55c98a;
--fault:#ff8a7a;--band:#ff6b8124;--fold:#8885;
--r0:#6ea8ff;--r1:#f2a05c;--r2:#4cd0ab;--r3:#cf8df0;--r4:#d8c04a;--r5:#f583b8;
--r6:#a3cc63;--r7:#9fb0ef}}
*{box-sizing:border-box}
body{margin:0;background:var(--bg);color:var(--fg);
font:13px/1.45 system-ui,"DejaVu Sans",sans-serif}
header,details,footer{padding:12px 20px;max-width:1100px}
h1{font-size:19px;margin:4px 0 2px}
.verdict{font-weight:600;margin:2px 0 10px}
.passed{color:var(--good)}.broken{color:var(--bad)}
code{font:12px/1.4 ui-monospace,"DejaVu Sans Mono",monospace;
overflow-wrap:anywhere}
dl{display:grid;grid-template-columns:max-content 1fr;gap:2px 14px;margin:8px 0}
dt{color:var(--dim)}dd{margin:0}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;margin:10px 0 0;padding:0;
list-style:none;color:var(--dim)}
.legend li{display:flex;align-items:center;gap:5px}
.legend svg{flex:none}
.runs li{cursor:pointer;color:var(--fg)}
.swatch{width:12px;height:12px;border-radius:3px;background:currentColor}
.off{opacity:.35}
main{width:max-content;min-width:100%;border-top:1px solid var(--line)}
.lanes{position:sticky;top:0;z-index:1;background:var(--bg);
border-bottom:1px solid var(--line)}
svg{display:block;font:11px system-ui,"DejaVu Sans",sans-serif;fill:var(--fg)}
svg text{paint-order:stroke;stroke:var(--bg);stroke-width:3px;
stroke-linejoin:round}
.kind{fill:var(--dim);font-size:10px}
.name{font-weight:600;font-size:12px}
.lane{stroke:var(--line);stroke-width:1.5}
.time{fill:var(--dim);font-size:10px;font-variant-numeric:tabular-nums}
.rule{stroke:var(--line);stroke-width:1;stroke-dasharray:1 5}
.fold{fill:var(--fold)}
.band{fill:var(--band)}
.at-work{fill:none;stroke:var(--fault);stroke-dasharray:1 5;opacity:.7}
.bar{stroke-width:4;stroke:currentColor;stroke-linecap:butt}
.stale{stroke-dasharray:2 3;opacity:.75}
.link{stroke:currentColor;stroke-width:1;opacity:.38;fill:none;
marker-end:url(#head)}
.lost{stroke:var(--fault);stroke-dasharray:4 3;opacity:.8;marker-end:none}
.mark{color:var(--dim)}
.mark .s{fill:currentColor;stroke:none}
.mark .o{fill:var(--bg);stroke:currentColor;stroke-width:1.6}
.mark .l{fill:none;stroke:currentColor;stroke-width:2.2;stroke-linecap:round}
.mark text{fill:var(--dim)}
.key text{fill:var(--fg)}
.breach{stroke:var(--bad);stroke-width:2}
.hit{fill:transparent}
.mark:hover .hit{fill:var(--fold)}
.hot{opacity:1;stroke-width:2}
.r0{color:var(--r0)}.r1{color:var(--r1)}.r2{color:var(--r2)}
.r3{color:var(--r3)}.r4{color:var(--r4)}.r5{color:var(--r5)}
.r6{color:var(--r6)}.r7{color:var(--r7)}
.refused text,.fault text,.lost-mark text{fill:var(--fault)}
.fault,.lost-mark{color:var(--fault)}.heal{color:var(--good)}
.violation{color:var(--bad)}.violation text{fill:var(--bad);font-weight:700}
.dim{opacity:.1}
#say{position:fixed;left:0;right:0;bottom:0;z-index:2;margin:0;
padding:7px 20px;min-height:2.6em;background:var(--card);
border-top:1px solid var(--line);font:12px/1.4 ui-monospace,
"DejaVu Sans Mono",monospace;overflow-wrap:anywhere}
summary{cursor:pointer;font-weight:600}
ol{margin:8px 0;padding-left:34px;font:12px/1.5 ui-monospace,
"DejaVu Sans Mono",monospace}
footer{color:var(--dim);margin-bottom:50px}
@media print{#say{display:none}.lanes{position:static}}
)css";

/// Each mark carries its sentence as its title, so that everything is there
/// without a script too.
inline constexpr std::string_view report_script = R"js(
const all = (q) => Array.from(document.querySelectorAll(q));
const say = document.getElementById("say");
all(".mark").forEach((m) => {
  const near = all('[data-a="' + m.dataset.m + '"],[data-b="'
    + m.dataset.m + '"]');
  m.addEventListener("mouseenter", () => {
    say.textContent = m.querySelector("title").textContent;
    near.forEach((x) => x.classList.add("hot"));
  });
  m.addEventListener("mouseleave", () =>
    near.forEach((x) => x.classList.remove("hot")));
});
const off = new Set();
all(".runs li").forEach((x) => x.addEventListener("click", () => {
  const run = x.dataset.run;
  if (!off.delete(run)) { off.add(run); }
  x.classList.toggle("off", off.has(run));
  all('[data-run="' + run + '"]').forEach((y) => {
    if (y !== x) { y.classList.toggle("dim", off.has(run)); }
  });
}));
)js";

} // namespace baton::sim
