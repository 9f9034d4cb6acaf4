// Package models has the models that there are by name, as a file or the environment describes them. The file is read again
// when it changes; a wrong one leaves in force what was.
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

// Model is what is known of a model besides its routes.
type Model struct {
	*routing.Model
	Prices              *Prices // nil is unknown
	Tools, Vision, JSON bool    // what it can do
	Routes              []Route
	Fallbacks           []string
	fallbackPrices      map[string]*Prices // by the name of a route that only fallbacks have
}

// PricesOf are those of the route that answered, which may be a fallback's; nil is unknown.
func (m *Model) PricesOf(r *routing.Route) *Prices {
	if prices, of := m.fallbackPrices[r.Name]; of {
		return prices
	}
	return m.Prices
}

// Route is a way to a model as people read of it.
type Route struct {
	Name   string // PROVIDER/NAME
	Weight int
}

// Set are the models that are in force together.
type Set struct {
	models map[string]*Model
	routes map[string]opened // by provider and model, with the time limits
}

// opened is a route with what it was made of.
type opened struct {
	*routing.Route
	of provider.Target
}

// Find is the model of a name; nil if there is none.
func (s *Set) Find(name string) *Model {
	if s == nil {
		return nil
	}
	return s.models[name]
}

// Empty tells that there are no models.
func (s *Set) Empty() bool { return s == nil || len(s.models) == 0 }

// Names are the models' in order.
func (s *Set) Names() []string {
	if s == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(s.models))
}

// Add puts the models of another set into this one, which must not be in force yet.
func (s *Set) Add(other *Set) { maps.Copy(s.models, other.models) }

// Named is the set with one model that is PROVIDER/NAME of the provider's own.
func Named(spec string, s provider.Settings) (*Set, error) {
	plain, err := provider.NewPlain(spec, s)
	if err != nil {
		return nil, err
	}
	return &Set{models: map[string]*Model{spec: single(spec, plain, s)}}, nil
}

func single(name string, plain *provider.Plain, s provider.Settings) *Model {
	route := &routing.Route{Plain: plain, Name: name}
	return &Model{
		Model: routing.New(name, []routing.Share{{Route: route, Weight: 1}}, nil, s, nil),
		Tools: true, Vision: true, JSON: true, Routes: []Route{{name, 1}},
	}
}

// Read makes a set of a file's text. env gives the values that the file refers to. Routes that before has alike are taken
// from there, with their connections and what is known of their health; before may be nil.
func Read(text []byte, env func(string) string, s provider.Settings, before *Set) (*Set, error) {
	f, err := read(text)
	if err != nil {
		return nil, err
	}
	set := &Set{models: map[string]*Model{}, routes: map[string]opened{}}
	own := map[string][]routing.Share{}
	for _, name := range slices.Sorted(maps.Keys(f.Models)) {
		shares, failed := set.open(f, name, env, before)
		own[name], err = shares, errors.Join(err, failed)
	}
	if err != nil {
		return nil, err
	}
	for name, m := range f.Models {
		var fallbacks [][]routing.Share
		for _, other := range m.Fallbacks {
			fallbacks = append(fallbacks, own[other])
		}
		made := &Model{Model: routing.New(name, own[name], fallbacks, s, nil), Prices: m.Prices, Fallbacks: m.Fallbacks,
			Tools: said(m.Can.Tools), Vision: said(m.Can.Vision), JSON: said(m.Can.JSON)}
		for _, share := range own[name] {
			made.Routes = append(made.Routes, Route{share.Name, share.Weight})
		}
		made.fallbackPrices = pricesOfFallbacks(f, m)
		set.models[name] = made
	}
	return set, nil
}

// said is an ability as the file has it; one that it leaves out is there.
func said(can *bool) bool { return can == nil || *can }

// open opens the routes of a model.
func (s *Set) open(f file, name string, env func(string) string, before *Set) ([]routing.Share, error) {
	m := f.Models[name]
	var shares []routing.Share
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
		shares = append(shares, routing.Share{Route: route, Weight: weight})
	}
	return shares, nil
}

// likeASecret is how long a header's value is that may be a secret, though the file has it as it is. A shorter one is a name, which
// answers may have in them.
const likeASecret = 16

// target is where and how a route's model is asked.
func target(f file, r routeEntry, m modelEntry, env func(string) string) (provider.Target, error) {
	at := f.Providers[r.Provider]
	base, wrongBase := resolved(at.BaseURL, env)
	key, wrongKey := resolved(at.Key, env)
	to := provider.Target{Kind: at.Kind, Base: base, Key: key, Model: r.Model, FirstByte: m.FirstByte, Silence: m.Silence}
	wrong := cmp.Or(wrongBase, wrongKey)
	for name, value := range at.Headers {
		written := value
		value, err := resolved(written, env)
		wrong = cmp.Or(wrong, err)
		if written != value || len(value) >= likeASecret {
			to.Secrets = append(to.Secrets, value)
		}
		if to.Headers == nil {
			to.Headers = map[string]string{}
		}
		to.Headers[name] = value
	}
	return to, wrong
}

// route is the one of a name and target: of this set, of the one before, or a new one.
func (s *Set) route(name string, to provider.Target, before *Set) (*routing.Route, error) {
	key := fmt.Sprintf("%s %s %s", name, to.FirstByte, to.Silence)
	if known, there := s.routes[key]; there {
		return known.Route, nil
	}
	if before != nil {
		if known, there := before.routes[key]; there && known.of.Equal(to) {
			s.routes[key] = known
			return known.Route, nil
		}
	}
	plain, err := provider.Open(to)
	if err != nil {
		return nil, err
	}
	route := &routing.Route{Plain: plain, Name: name}
	s.routes[key] = opened{route, to}
	return route, nil
}

// pricesOfFallbacks are by the names of routes that a model has from its fallbacks only, of which the first counts.
func pricesOfFallbacks(f file, m modelEntry) map[string]*Prices {
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
