// Package models holds the configured models. They come from a file or from the environment. When the file changes, it is
// read again. If it is then invalid, the previous models stay in use.
package models

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/routing"
)

// Model is a model with its configuration.
type Model struct {
	*routing.Model
	Prices              *Prices // nil if unknown
	Tools, Vision, JSON bool    // what the model can do
	Routes              []Route
	Fallbacks           []string
	fallbackPrices      map[string]*Prices // by route name, for routes that only the fallbacks have
}

// RoutePrices returns the prices of the route that responded, which may be a fallback's. It returns nil if they are
// unknown.
func (m *Model) RoutePrices(route string) *Prices {
	if prices, of := m.fallbackPrices[route]; of {
		return prices
	}
	return m.Prices
}

// Route describes a route for people.
type Route struct {
	Name   string // PROVIDER/NAME
	Weight int
}

// Set is the models of one version of the file.
type Set struct {
	models map[string]*Model
	routes map[string]openRoute // by name and time limits
}

// openRoute is a route and the target for which it was opened.
type openRoute struct {
	*routing.Route
	target provider.Target
}

// Find returns a model by name, or nil.
func (s *Set) Find(name string) *Model {
	if s == nil {
		return nil
	}
	return s.models[name]
}

// Empty reports whether the set has no models.
func (s *Set) Empty() bool { return s == nil || len(s.models) == 0 }

// Names returns the sorted names.
func (s *Set) Names() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.models))
}

// Add copies the models of another set into this one, which must not be in use yet.
func (s *Set) Add(other *Set) { maps.Copy(s.models, other.models) }

// Single returns a set with one model, named PROVIDER/NAME.
func Single(spec string, s provider.Settings) (*Set, error) {
	client, err := provider.NewClient(spec, s)
	if err != nil {
		return nil, err
	}
	return &Set{models: map[string]*Model{spec: single(spec, client, s)}}, nil
}

func single(name string, client *provider.Client, s provider.Settings) *Model {
	route := &routing.Route{Client: client, Name: name}
	return &Model{
		Model: routing.New(name, []routing.WeightedRoute{{Route: route, Weight: 1}}, nil, s, nil),
		Tools: true, Vision: true, JSON: true, Routes: []Route{{name, 1}},
	}
}

// Parse parses a models file. env looks up the environment variables that the file refers to. before is the previous set, or
// nil. Routes that are unchanged keep their connections and their health.
func Parse(text []byte, env func(string) string, s provider.Settings, before *Set) (*Set, error) {
	f, err := parseFile(text)
	if err != nil {
		return nil, err
	}
	set := &Set{models: map[string]*Model{}, routes: map[string]openRoute{}}
	own := map[string][]routing.WeightedRoute{}
	for _, name := range slices.Sorted(maps.Keys(f.Models)) {
		shares, failed := set.openRoutes(f, name, env, before)
		own[name], err = shares, errors.Join(err, failed)
	}
	if err != nil {
		return nil, err
	}
	for name, m := range f.Models {
		var fallbacks [][]routing.WeightedRoute
		for _, other := range m.Fallbacks {
			fallbacks = append(fallbacks, own[other])
		}
		made := &Model{Model: routing.New(name, own[name], fallbacks, s, nil), Prices: m.Prices, Fallbacks: m.Fallbacks,
			Tools: abilityOrDefault(m.Abilities.Tools), Vision: abilityOrDefault(m.Abilities.Vision), JSON: abilityOrDefault(m.Abilities.JSON)}
		for _, share := range own[name] {
			made.Routes = append(made.Routes, Route{share.Name, share.Weight})
		}
		made.fallbackPrices = fallbackOnlyPrices(f, m)
		set.models[name] = made
	}
	return set, nil
}

// abilityOrDefault returns true if the file does not mention the ability.
func abilityOrDefault(can *bool) bool { return can == nil || *can }

// openRoutes opens the routes of a model.
func (s *Set) openRoutes(f file, name string, env func(string) string, before *Set) ([]routing.WeightedRoute, error) {
	m := f.Models[name]
	var shares []routing.WeightedRoute
	for i, r := range m.Routes {
		to, err := target(f, r, m, env)
		var route *routing.Route
		if err == nil {
			route, err = s.route(r.name(), to, before)
		}
		if err != nil {
			return nil, fmt.Errorf("models.%s.routes[%d]: provider %s: %w", name, i, r.Provider, err)
		}
		weight := 1
		if r.Weight != nil {
			weight = *r.Weight
		}
		shares = append(shares, routing.WeightedRoute{Route: route, Weight: weight})
	}
	return shares, nil
}

// minSecretLength is the shortest header value in the file that counts as a secret. Shorter values, such as a team's name,
// may appear in answers.
const minSecretLength = 16

// target returns the address and credentials for a route.
func target(f file, r routeEntry, m modelEntry, env func(string) string) (provider.Target, error) {
	at := f.Providers[r.Provider]
	base, wrongBase := expandEnv(at.BaseURL, env)
	key, wrongKey := expandEnv(at.Key, env)
	to := provider.Target{Kind: at.Kind, Base: base, Key: key, Model: r.Model, FirstByte: m.FirstByte, Silence: m.Silence}
	wrong := cmp.Or(wrongBase, wrongKey)
	for name, value := range at.Headers {
		written := value
		value, err := expandEnv(written, env)
		wrong = cmp.Or(wrong, err)
		if written != value || len(value) >= minSecretLength {
			to.Secrets = append(to.Secrets, value)
		}
		if to.Headers == nil {
			to.Headers = map[string]string{}
		}
		to.Headers[name] = value
	}
	return to, wrong
}

// route returns the route for a target. It reuses one from this set or the previous one, if possible.
func (s *Set) route(name string, to provider.Target, before *Set) (*routing.Route, error) {
	key := fmt.Sprintf("%s %s %s", name, to.FirstByte, to.Silence)
	if known, there := s.routes[key]; there {
		return known.Route, nil
	}
	if before != nil {
		if known, there := before.routes[key]; there && known.target.Equal(to) {
			s.routes[key] = known
			return known.Route, nil
		}
	}
	client, err := provider.Open(to)
	if err != nil {
		return nil, err
	}
	route := &routing.Route{Client: client, Name: name}
	s.routes[key] = openRoute{route, to}
	return route, nil
}

// fallbackOnlyPrices returns the prices of the routes that a model has only through its fallbacks, by name. If several
// fallbacks have a route, the first one's prices apply.
func fallbackOnlyPrices(f file, m modelEntry) map[string]*Prices {
	own := map[string]bool{}
	for _, r := range m.Routes {
		own[r.name()] = true
	}
	prices := map[string]*Prices{}
	for _, fallback := range m.Fallbacks {
		for _, r := range f.Models[fallback].Routes {
			if _, there := prices[r.name()]; !there && !own[r.name()] {
				prices[r.name()] = f.Models[fallback].Prices
			}
		}
	}
	return prices
}
