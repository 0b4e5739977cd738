# Sourced by ./quickstart and ./check: the Debian 12 packages that planc needs, and a function that installs those that
# are missing.

# Packages to build planc, and to compile and run the programs that it emits. mimalloc is planc's malloc, with which the
# search for plans is a third faster.
packages_to_build=(
    g++ cmake ninja-build antlr4 libantlr4-runtime-dev libmlir-19-dev mlir-19-tools llvm-19-dev libgtest-dev
    libopenblas-dev libdnnl-dev libopenmpi-dev openmpi-bin zlib1g-dev
    libmimalloc-dev
)
# Further packages, to check a change.
packages_to_check=(clang-format-19 clang-tidy-19 ccache mold python3 python3-psutil)
# Optional packages, without which tests are skipped: for `planc simulate` (about 24 MB to download, with dependencies),
# and for the order of a graph's vertices by METIS.
packages_besides=(libsimgrid-dev libmetis-dev)

# install_missing PACKAGE…: prints in one line what it does; on failure, prints one line on stderr and returns 1.
install_missing() {
    if ! command -v dpkg-query >/dev/null; then
        echo "packages   not a Debian system: not checked (wanted: $*)"
        return 0
    fi
    local package missing=()
    for package in "$@"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    if ((${#missing[@]} == 0)); then
        echo "packages   all there"
        return 0
    fi
    local as_root=()
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null || { [[ ! -t 0 ]] && ! sudo -n true 2>/dev/null; }; then
            echo "missing packages, and neither root nor sudo to install them; ask for: apt-get install ${missing[*]}" >&2
            return 1
        fi
        as_root=(sudo)
    fi
    echo "packages   installing ${missing[*]}"
    local log
    log=$(mktemp)
    if ! { "${as_root[@]}" apt-get update &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"; } \
        >"$log" 2>&1; then
        grep -E '^(E|Err)' "$log" | tail -n 3 >&2
        rm -f "$log"
        echo "cannot install ${missing[*]}: is there a network, and is this Debian 12?" >&2
        return 1
    fi
    rm -f "$log"
}
