# Installation and CMake package files: find_package(baton).
