package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// maxBody is the largest size of a body, in bytes.
const maxBody = 20 << 20

// writingRoutes registers the paths that write.
func (s *Sandbox) writingRoutes(change func(string, endpoint)) {
	change("POST /entity/{kind}", s.writing(noCreate(), s.create))
	change("PUT /entity/{kind}/{id}", s.writing(noEdit(), s.update))
	change("DELETE /entity/{kind}/{id}", s.writing(noDelete(), s.remove))
	change("POST /entity/{kind}/{id}/trash", s.writing(noDelete(), s.remove))
	change("DELETE /entity/{kind}/syncid/{syncid}", s.writing(noDelete(), s.removeBySyncID))
	change("POST /entity/{kind}/delete", s.writing(noDelete(), s.removeMany))
	change("POST /entity/{kind}/{id}/positions", s.writing(noEdit(), s.addPositions))
	change("DELETE /entity/{kind}/{id}/positions/{position}", s.writing(noEdit(), s.removePosition))
}

// changeable reports whether entities of a kind can be written. For others, the API answers as if the role had no right
// to do so.
func changeable(kind Kind) bool {
	return kind == kindProduct || kind == kindVariant || isDocument(kind)
}

// writing returns an endpoint that checks the role, the kind and the content type, and then calls do. If the role may not
// write the kind, it returns refused.
func (s *Sandbox) writing(refused *refusal, do func(*request, Kind) (any, error)) endpoint {
	return func(r *request) (any, error) {
		kind := Kind(r.PathValue("kind"))
		if _, err := r.table(); err != nil {
			return nil, err
		}
		if s.config.Role == ReadOnly || !changeable(kind) {
			return nil, refused
		}
		if r.Method != http.MethodDelete && r.ContentLength != 0 && !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			return nil, refuse(http.StatusBadRequest, 2001, "Неверное значение заголовка 'Content-Type', ожидается application/json")
		}
		return do(r, kind)
	}
}

func (r *request) body() (json.RawMessage, error) {
	text, err := io.ReadAll(r.Body)
	if err != nil || !json.Valid(text) {
		return nil, refuse(http.StatusBadRequest, 2001, "Ошибка формата: тело запроса не JSON")
	}
	if depth(text) > maxDepth {
		return nil, refuse(http.StatusBadRequest, 2006, "Ошибка формата: слишком большая вложенность JSON")
	}
	return bytes.TrimSpace(text), nil
}

// maxDepth is how deeply a body may be nested.
//
// Source: md/_restrictions.md.
const maxDepth = 10

// depth returns how deeply a JSON text is nested. The text must be valid.
func depth(text []byte) (deepest int) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	for level := 0; ; {
		token, err := decoder.Token()
		if err != nil {
			return deepest
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			level++
			deepest = max(deepest, level)
		case json.Delim('}'), json.Delim(']'):
			level--
		}
	}
}

// bulkAnswer is the answer to a bulk request. If an element fails, the others are still saved.
type bulkAnswer struct {
	results []any
	failed  bool
}

// create answers POST /entity/{kind}, with one object or an array of them.
func (s *Sandbox) create(r *request, kind Kind) (any, error) {
	text, err := r.body()
	if err != nil {
		return nil, err
	}
	if text[0] != '[' {
		return s.save(r, kind, "", text)
	}
	var texts []json.RawMessage
	if err := json.Unmarshal(text, &texts); err != nil || len(texts) > maxRows {
		return nil, refuse(http.StatusRequestEntityTooLarge, 2022, "Превышено максимальное количество элементов: %d", len(texts))
	}
	var answer bulkAnswer
	for _, text := range texts {
		saved, err := s.save(r, kind, namedID(text), text)
		answer.add(saved, err)
	}
	return answer, nil
}

func (m *bulkAnswer) add(saved any, err error) {
	if refused, ok := errors.AsType[*refusal](err); ok {
		m.failed = true
		saved = refused.body()
	}
	m.results = append(m.results, saved)
}

// namedID returns the id of the entity that an element of a bulk request names by its meta or id. It returns "" if the
// element is new.
func namedID(text json.RawMessage) string {
	var named struct {
		ID   string `json:"id"`
		Meta struct {
			Href string `json:"href"`
		} `json:"meta"`
	}
	if json.Unmarshal(text, &named) != nil {
		return ""
	}
	if named.Meta.Href != "" {
		return named.Meta.Href[strings.LastIndexByte(named.Meta.Href, '/')+1:]
	}
	return named.ID
}

// update answers PUT /entity/{kind}/{id}. Fields that are missing from the request do not change. Arrays are replaced.
func (s *Sandbox) update(r *request, kind Kind) (any, error) {
	text, err := r.body()
	if err != nil {
		return nil, err
	}
	return s.save(r, kind, r.PathValue("id"), text)
}

// save creates an entity, or changes the one with the given id, and shows it. If the syncId is known, it shows the
// existing entity unchanged.
func (s *Sandbox) save(r *request, kind Kind, id string, text json.RawMessage) (any, error) {
	in, err := r.view.readInput(text)
	if err != nil {
		return nil, err
	}
	var shown object
	if isDocument(kind) {
		shown, err = s.saveDocument(in, kind, id)
	} else {
		shown, err = s.saveItem(in, kind, id)
	}
	if err != nil {
		return nil, err
	}
	return shown, r.expand(shown)
}

// remove answers DELETE and POST …/trash: it marks the document as deleted.
func (s *Sandbox) remove(r *request, kind Kind) (any, error) {
	return nil, s.moveToBin(kind, r.PathValue("id"))
}

func (s *Sandbox) removeBySyncID(r *request, kind Kind) (any, error) {
	for _, document := range s.books.Documents[kind] {
		if document.SyncID == r.PathValue("syncid") && document.SyncID != "" {
			return nil, s.moveToBin(kind, document.ID)
		}
	}
	return nil, notFound(kind, r.PathValue("syncid"))
}

func (s *Sandbox) moveToBin(kind Kind, id string) error {
	document := s.books.documents[id]
	if document == nil || document.Kind != kind || !document.Deleted.IsZero() {
		return notFound(kind, id)
	}
	document.Deleted = s.config.Now()
	document.Updated = s.config.Now()
	s.books.recompute()
	return nil
}

// removeMany answers POST …/delete. The body is an array of links.
func (s *Sandbox) removeMany(r *request, kind Kind) (any, error) {
	text, err := r.body()
	if err != nil {
		return nil, err
	}
	var texts []json.RawMessage
	if json.Unmarshal(text, &texts) != nil {
		return nil, refuse(http.StatusBadRequest, 2001, "Ошибка формата: ожидается массив")
	}
	var answer bulkAnswer
	for _, text := range texts {
		id := namedID(text)
		answer.add(object{"info": "Сущность '" + string(kind) + "' с UUID: " + id + " успешно удалена"}, s.moveToBin(kind, id))
	}
	return answer, nil
}

// addPositions answers POST …/positions. The answer is an array, even for one line.
func (s *Sandbox) addPositions(r *request, _ Kind) (any, error) {
	document, err := r.document()
	if err != nil {
		return nil, err
	}
	text, err := r.body()
	if err != nil {
		return nil, err
	}
	if text[0] != '[' {
		text = slices.Concat(json.RawMessage("["), text, json.RawMessage("]"))
	}
	in := &input{view: r.view, fields: map[string]json.RawMessage{"positions": text}}
	lines := in.positions(document.Kind)
	if in.err != nil {
		return nil, in.err
	}
	first := len(document.Positions)
	document.Positions = append(slices.Clip(document.Positions), lines...)
	s.changed(document)
	return r.view.positions(document)[first:], nil
}

func (s *Sandbox) removePosition(r *request, _ Kind) (any, error) {
	document, err := r.document()
	if err != nil {
		return nil, err
	}
	for i := range document.Positions {
		if s.books.ids.ofPart(document.ID, i) == r.PathValue("position") {
			document.Positions = slices.Delete(slices.Clone(document.Positions), i, i+1)
			s.changed(document)
			return nil, nil
		}
	}
	return nil, notFound(kindPosition, r.PathValue("position"))
}

// changed updates everything that depends on a document.
func (s *Sandbox) changed(document *Document) {
	if !document.Kind.isPayment() {
		document.total()
	}
	document.Updated = s.config.Now()
	if document.Applicable {
		s.books.recompute()
	}
}
