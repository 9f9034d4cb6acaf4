package main

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

func readDeployFile(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("deploy", file))
	must(t, err)
	return string(text)
}

// The program knows all variables that the deployment files set, and everything that these files refer to exists.
func TestDeploymentFilesAreValid(t *testing.T) {
	t.Parallel()
	known := variablesOf(reflect.TypeFor[serveCommand]())
	for _, file := range []string{"Dockerfile", "compose.yaml", "kopeck.service", "kustomize/kustomization.yaml", "kustomize/deployment.yaml"} {
		for _, name := range regexp.MustCompile(`\b(KOPECK|OPENAI|ANTHROPIC|GOOGLE|OLLAMA)_[A-Z_]+\b`).FindAllString(readDeployFile(t, file), -1) {
			if !slices.Contains(known, name) {
				t.Errorf("%s sets %s, which the program does not read", file, name)
			}
		}
	}
	var compose struct {
		Services map[string]struct {
			Build     struct{ Context, Dockerfile string }
			DependsOn yaml.Node `yaml:"depends_on"`
		}
	}
	must(t, yaml.Unmarshal([]byte(readDeployFile(t, "compose.yaml")), &compose))
	balanced := regexp.MustCompile(`server (\S+):8080`).FindAllStringSubmatch(readDeployFile(t, "nginx.conf"), -1)
	if len(balanced) < 2 {
		t.Errorf("the load is balanced over %v", balanced)
	}
	for _, server := range balanced {
		service, there := compose.Services[server[1]]
		dockerfile := filepath.Join("deploy", service.Build.Context, service.Build.Dockerfile)
		if _, err := os.Stat(dockerfile); !there || err != nil {
			t.Errorf("nginx sends requests to %s, but compose.yaml has %v: %v", server[1], service, err)
		}
	}
	var kustomization struct{ Resources []string }
	must(t, yaml.Unmarshal([]byte(readDeployFile(t, "kustomize/kustomization.yaml")), &kustomization))
	for _, resource := range kustomization.Resources {
		var object struct{ Kind string }
		if err := yaml.Unmarshal([]byte(readDeployFile(t, path.Join("kustomize", resource))), &object); err != nil || object.Kind == "" {
			t.Errorf("%s: %v, %v", resource, object, err)
		}
	}
}

// The build context of the image contains all sources and embedded files.
func TestImageContextHasAllFiles(t *testing.T) {
	t.Parallel()
	var passes []string
	for line := range strings.Lines(readDeployFile(t, "Dockerfile.dockerignore")) {
		if pattern, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			passes = append(passes, strings.TrimPrefix(pattern, "**/"))
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", `{{$dir := .ImportPath}}{{range .EmbedFiles}}{{$dir}}/{{.}}{{"\n"}}{{end}}`, module+"/...").Output()
	must(t, err)
	for file := range strings.Lines(string(out)) {
		inside, _ := allowedFor(strings.TrimSpace(file))
		if !slices.ContainsFunc(passes, func(pattern string) bool {
			fits, _ := path.Match(pattern, path.Base(inside))
			return fits || strings.HasPrefix(inside, pattern+"/")
		}) {
			t.Errorf("%s is embedded, but not in the image's build context", inside)
		}
	}
}

// If an image's tag can move, an unknown version might be deployed. A process without limits could use up the machine.
func TestDeploymentsHaveLimitsAndFixedImages(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"Dockerfile", "compose.yaml", "kustomize/kustomization.yaml", "kustomize/deployment.yaml"} {
		if strings.Contains(readDeployFile(t, file), "latest") {
			t.Errorf("%s deploys an image without a fixed version", file)
		}
	}
	var compose struct {
		Services map[string]struct {
			Image    string
			Memory   string   `yaml:"mem_limit"`
			Tasks    int      `yaml:"pids_limit"`
			ReadOnly bool     `yaml:"read_only"`
			Dropped  []string `yaml:"cap_drop"`
			Options  []string `yaml:"security_opt"`
		}
	}
	must(t, yaml.Unmarshal([]byte(readDeployFile(t, "compose.yaml")), &compose))
	for name, s := range compose.Services {
		if s.Memory == "" || s.Tasks == 0 || !s.ReadOnly || !slices.Equal(s.Dropped, []string{"ALL"}) || !slices.Contains(s.Options, "no-new-privileges:true") {
			t.Errorf("%s has no limits or is not hardened: %+v", name, s)
		}
		if s.Image != "kopeck" && !regexp.MustCompile(`:-[a-z]+:[0-9.]+\}$`).MatchString(s.Image) {
			t.Errorf("%s has an image that cannot be set, or no version: %s", name, s.Image)
		}
	}
	for _, line := range []string{"MemoryMax=", "TasksMax=", "NoNewPrivileges=yes", "CapabilityBoundingSet=\n"} {
		if !strings.Contains(readDeployFile(t, "kopeck.service"), "\n"+line) {
			t.Errorf("kopeck.service has no %s", line)
		}
	}
}
