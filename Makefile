.DEFAULT_GOAL := help
GO ?= go

# What is left out of every program here, 2 MB: pgx's table of PostgreSQL's types (schemas/database names those that are
# used), HTTP/2, which only calls of the agent to its model and webhooks could speak, and gRPC's own pages of its traces.
export GOFLAGS := $(GOFLAGS) -tags=nopgxregisterdefaulttypes,nethttpomithttp2,grpcnotrace

.PHONY: run
run: ## run the service with the demo's books: prints a key and a curl line
	$(GO) run ./cmd/kopeck serve --demo

.PHONY: build
build: ## build bin/kopeck
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.commit=$$(git rev-parse --short HEAD 2>/dev/null)" -o bin/kopeck ./cmd/kopeck

# Tests run in two stages: with the race detector, at sizes that leave it time (-short), and without it what computes much,
# at full size. SQLite is C that was translated to Go: checking its pointers takes long and finds nothing of ours.
race := -race -gcflags='modernc.org/...=-d=checkptr=0'
full := ./agent/answer/... ./agent/offline ./keys/redact ./tools ./tools/moysklad ./tools/sandbox

# vet shares what the first stage compiles, the second stage what the tests build the program of. Many tests wait for other
# processes: more run at once than there are cores.
.PHONY: test
test: cmd/kopeck/conformance/node_modules ## run every test with the race detector, and those that compute much, at full size, without it (needs PostgreSQL's binaries)
	$(GO) vet $(race) ./...
	$(GO) test $(race) -short -p 3 -parallel 6 -timeout 20m $$($(GO) list ./... | grep -vE '/(agent/answer|tools/sandbox)$$')
	CGO_ENABLED=0 $(GO) test -trimpath -timeout 15m $(full)

.PHONY: conformance
conformance: cmd/kopeck/conformance/node_modules ## drive the built service with the clients that people use, and print a table (make test runs it too)
	$(GO) test -count=1 -v ./cmd/kopeck/conformance

cmd/kopeck/conformance/node_modules: cmd/kopeck/conformance/package-lock.json # the clients for Node
	cd cmd/kopeck/conformance && npm ci --no-audit --no-fund --loglevel=error
	touch $@

.PHONY: conformance-mcp
conformance-mcp: ## the MCP inspector's command line against the built service (fetches 160 MB with npx)
	$(GO) test -count=1 -v -tags inspector -run Inspector ./cmd/kopeck

.PHONY: soak
soak: ## run three replicas under load and faults: SOAK seconds (300), ORGANIZATIONS (500), from SEED (random)
	KOPECK_TEST_SOAK=$${SOAK:-300} KOPECK_TEST_ORGANIZATIONS=$${ORGANIZATIONS:-500} KOPECK_TEST_SEED=$${SEED:-$$(date +%s)} \
	  $(GO) test -count=1 -v -timeout 0 -run UnderLoadAndFaults ./cmd/kopeck

.PHONY: fuzz
fuzz: ## run each fuzz target for FUZZTIME (default 10s)
	@for package in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
	    $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $${FUZZTIME:-10s} $$package || exit 1; \
	  done; \
	done

.PHONY: lint
lint: ## run golangci-lint and govulncheck, fetching them as Go tools
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...
	GOBIN=$(CURDIR)/bin/tools $(GO) install golang.org/x/vuln/cmd/govulncheck@v1.9.0
	@said=$$(bin/tools/govulncheck ./... 2>&1); status=$$?; printf '%s\n' "$$said"; \
	case "$$status $$said" in \
	  0\ *) ;; \
	  *"fetching vulnerabilities"*) echo "NOT CHECKED for known vulnerabilities: the database of govulncheck was not to be had." ;; \
	  *) exit 1 ;; \
	esac

.PHONY: sbom
sbom: build ## write what bin/kopeck is built of to bin/kopeck.cdx.json (CycloneDX)
	bin/kopeck sbom > bin/kopeck.cdx.json
	@echo "bin/kopeck.cdx.json: $$(grep -c '"purl"' bin/kopeck.cdx.json) parts"

.PHONY: images
images: ## print the images that the deployment stands on by digest, for its .env file (asks their registries; needs docker)
	@for image in GO_IMAGE=golang:1.26 BASE_IMAGE=gcr.io/distroless/static-debian12:nonroot POSTGRES_IMAGE=postgres:17 NGINX_IMAGE=nginx:1.29; do \
	  digest=$$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$${image#*=}") || exit 1; \
	  echo "$$image@$$digest"; \
	done

.PHONY: bench
bench: build ## measure bin/kopeck against a bare fasthttp proxy: a table of figures, goals and ratios (KOPECK_BENCH_POSTGRES: an empty database)
	$(GO) run ./cmd/kopeck/bench $(BENCH)

.PHONY: microbench
microbench: ## run the Go benchmarks of the inner loops
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: help
help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
