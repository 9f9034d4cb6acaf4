.DEFAULT_GOAL := help
GO ?= go

# These tags make a binary 2 MB smaller. They exclude pgx's table of PostgreSQL's types (schemas/database registers the types
# that it uses), HTTP/2 (which only requests to models and webhooks could use), and gRPC's web pages for tracing.
export GOFLAGS := $(GOFLAGS) -tags=nopgxregisterdefaulttypes,nethttpomithttp2,grpcnotrace

.PHONY: run
run: ## run the service with the books of a simulated shop: prints a key and a curl command
	$(GO) run ./cmd/kopeck serve --demo

.PHONY: build
build: ## build bin/kopeck
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.commit=$$(git rev-parse --short HEAD 2>/dev/null)" -o bin/kopeck ./cmd/kopeck

# Tests run in two stages: first with the race detector and small data (-short), then those that compute a lot again, without
# the race detector and at full size. agent/answer, agent/offline and tools/sandbox run only in the second stage: their tests
# compute for long, and the tests of other packages run the same code with the race detector. SQLite is translated from C.
# Checking its pointers takes long and finds no bugs of ours.
race := -race -gcflags='modernc.org/...=-d=checkptr=0'
full := ./agent/answer/... ./agent/offline ./keys/redact ./tools ./tools/moysklad ./tools/sandbox

# The program is built first, because two packages of tests build it at the same time and would both compile everything. The
# second stage shares its compiled packages, and the first stage shares those of go vet. After go vet, go test need not vet again.
# More tests run at once than there are cores, because many tests wait for other processes.
.PHONY: test
test: build cmd/kopeck/conformance/node_modules ## run all tests, with the race detector where it helps (needs PostgreSQL's server binaries)
	$(GO) vet $(race) ./...
	$(GO) test $(race) -short -vet=off -p 3 -parallel 6 -timeout 20m $$($(GO) list ./... | grep -vE '/(answer|offline|sandbox)$$')
	CGO_ENABLED=0 $(GO) test -trimpath -vet=off -timeout 15m $(full)

.PHONY: conformance
conformance: cmd/kopeck/conformance/node_modules ## test the built service with the clients that people use, and print a table (part of make test)
	$(GO) test -count=1 -v ./cmd/kopeck/conformance

cmd/kopeck/conformance/node_modules: cmd/kopeck/conformance/package-lock.json # installs the clients for Node
	cd cmd/kopeck/conformance && npm ci --no-audit --no-fund --loglevel=error
	touch $@

.PHONY: conformance-mcp
conformance-mcp: ## test the built service with the MCP inspector (downloads 160 MB with npx)
	$(GO) test -count=1 -v -tags inspector -run Inspector ./cmd/kopeck

.PHONY: soak
soak: ## run three replicas under load and faults, for SOAK seconds (300), with ORGANIZATIONS (500) and SEED (random)
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
lint: ## run golangci-lint and govulncheck (installs them with go)
	$(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...
	GOBIN=$(CURDIR)/bin/tools $(GO) install golang.org/x/vuln/cmd/govulncheck@v1.9.0
	@said=$$(bin/tools/govulncheck ./... 2>&1); status=$$?; printf '%s\n' "$$said"; \
	case "$$status $$said" in \
	  0\ *) ;; \
	  *"fetching vulnerabilities"*) echo "NOT CHECKED for known vulnerabilities: the database of govulncheck cannot be reached." ;; \
	  *) exit 1 ;; \
	esac

.PHONY: sbom
sbom: build ## list the modules of bin/kopeck in bin/kopeck.cdx.json (CycloneDX)
	bin/kopeck sbom > bin/kopeck.cdx.json
	@echo "bin/kopeck.cdx.json: $$(grep -c '"purl"' bin/kopeck.cdx.json) components"

.PHONY: images
images: ## print the digests of the deployment's images, for its .env file (queries the registries; needs docker)
	@for image in GO_IMAGE=golang:1.26 BASE_IMAGE=gcr.io/distroless/static-debian12:nonroot POSTGRES_IMAGE=postgres:17 NGINX_IMAGE=nginx:1.29; do \
	  digest=$$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$${image#*=}") || exit 1; \
	  echo "$$image@$$digest"; \
	done

.PHONY: bench
bench: build ## compare bin/kopeck with a bare fasthttp proxy, and print a table (KOPECK_BENCH_POSTGRES: url of an empty database)
	$(GO) run ./cmd/kopeck/bench $(BENCH)

.PHONY: microbench
microbench: ## run the Go benchmarks of the inner loops
	$(GO) test -run '^$$' -bench . -benchmem ./...

.PHONY: help
help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
