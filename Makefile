# Short names for the commands people run; the commands are the truth.

GO ?= go
OUT ?= demo

.PHONY: build test race ci docs snapshots demo bench dist clean

build: ## the program, without cgo, as ./splat
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=auto -o splat ./cmd/splat

test: ## all tests; SPLAT_TESTDATA=DIR adds those on real captures
	$(GO) test ./...

race: ## all tests under the race detector; needs a C compiler
	CGO_ENABLED=1 $(GO) test -race ./...

ci: ## everything that must pass before a merge
	.ci/run

docs: ## regenerate docs/cli.md and docs/config.md
	$(GO) generate ./...

snapshots: ## accept a changed list of dependencies
	UPDATE_SNAPSHOTS=1 $(GO) test ./internal/house

demo: ## train on a small made capture, into $(OUT)
	$(GO) run ./cmd/splat demo --out $(OUT) --overwrite

bench: ## Go benchmarks, six runs each, for benchstat
	$(GO) test -run '^$$' -bench . -benchmem -count 6 ./internal/...

dist: ## archives for all platforms and their SHA-256 sums, into dist/
	$(GO) run ./internal/dist -out dist

clean:
	rm -f splat
	rm -rf dist
