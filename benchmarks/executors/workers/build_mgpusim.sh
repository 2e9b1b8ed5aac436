#!/bin/sh
# build_mgpusim.sh MGPUSIM AKITA XID ATEXIT OUT: the executor mgpusim of checkouts, without Go's module proxy.
set -eu
here=$(cd "$(dirname "$0")/mgpusim" && pwd)
absolute() { (cd "$1" && pwd); }
mkdir -p "$5"
cp "$here/main.go" "$5/main.go"
cat > "$5/go.mod" <<END
module executor

go 1.25

require (
	github.com/rs/xid v1.6.0
	github.com/sarchlab/akita/v4 v4.9.0
	github.com/sarchlab/mgpusim/v4 v4.2.0
	github.com/tebeka/atexit v0.3.0
)

replace (
	github.com/rs/xid => $(absolute "$3")
	github.com/sarchlab/akita/v4 => $(absolute "$2")
	github.com/sarchlab/mgpusim/v4 => $(absolute "$1")
	github.com/tebeka/atexit => $(absolute "$4")
)
END
cd "$5"
GOPROXY=off GOFLAGS=-mod=mod GOTOOLCHAIN=local go build -o mgpusim .
rm main.go go.mod
