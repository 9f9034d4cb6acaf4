package sandbox

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// maxRows is the largest page and the default one; more than maxExpanded rows are never expanded.
const (
	maxRows     = 1000
	maxExpanded = 100
)

// request is a call that was let in.
type request struct {
	*http.Request
	query         url.Values
	limit, offset int
	view          view
}

// view is what the role may see.
type view struct {
	sandbox *Sandbox
	books   *Books
	costs   bool
	fields  string
	// expanded is whether minimumStock is shown because it was expanded: then its collection is spelled storeBalances.
	expanded bool
}

// read parses what every list understands. Wrong values of limit and offset are errors, unknown parameters are not.
func (s *Sandbox) read(r *http.Request) (*request, error) {
	query, err := parseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, refuse(http.StatusBadRequest, 1058, "Ошибка формата: строка запроса не закодирована")
	}
	parsed := &request{Request: r, query: query, limit: maxRows, view: view{sandbox: s, books: s.books, costs: s.config.Role != NoCost}}
	if text := query.Get("limit"); text != "" {
		if parsed.limit, err = strconv.Atoi(text); err != nil || parsed.limit < 1 || parsed.limit > maxRows {
			return nil, refuse(http.StatusBadRequest, 1013, "Неверное значение параметра 'limit': %s", text).about("limit")
		}
	}
	if text := query.Get("offset"); text != "" {
		if parsed.offset, err = strconv.Atoi(text); err != nil || parsed.offset < 0 {
			return nil, refuse(http.StatusBadRequest, 1013, "Неверное значение параметра 'offset': %s", text).about("offset")
		}
	}
	if fields := query.Get("fields"); fields != "" && (parsed.single() || parsed.small()) || query.Get("expand") == "" {
		parsed.view.fields = query.Get("fields")
	}
	if strings.Contains(strings.ToLower(query.Get("expand")), "minimumstock") && parsed.expands() != nil {
		parsed.view.fields = "minimumStock"
		parsed.view.expanded = true
	}
	if strings.Contains(parsed.view.fields, ",") {
		return nil, refuse(http.StatusBadRequest, 3042, "Параметр 'fields' принимает одно значение").about("fields")
	}
	return parsed, nil
}

// parseQuery takes a bare ";" for a part of a value, as the upstream does and net/url does not.
func parseQuery(text string) (url.Values, error) {
	query := url.Values{}
	for part := range strings.SplitSeq(text, "&") {
		key, value, _ := strings.Cut(part, "=")
		key, err1 := url.QueryUnescape(key)
		value, err2 := url.QueryUnescape(value)
		if err := errors.Join(err1, err2); err != nil {
			return query, err
		}
		if key != "" {
			query.Add(key, value)
		}
	}
	return query, nil
}

// small is whether the caller asked for a page that may be expanded: the default page is too large.
func (r *request) small() bool { return r.query.Has("limit") && r.limit <= maxExpanded }

// single is whether the call is about one entity rather than a list.
func (r *request) single() bool {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	return parts[0] == "context" || len(parts) == 3 && parts[0] == "entity" || len(parts) == 5 && parts[3] == "positions" ||
		r.Method != http.MethodGet
}

// expands is what to expand, nothing where the upstream silently ignores the wish.
func (r *request) expands() []string {
	wish := r.query.Get("expand")
	if wish == "" || !r.single() && !r.small() {
		return nil
	}
	return strings.Split(wish, ",")
}

// moment reads a parameter that is a point in Moscow time.
func (r *request) moment(name string) (t time.Time, given bool, err error) {
	text := r.query.Get(name)
	if text == "" {
		return time.Time{}, false, nil
	}
	t, ok := parseMoment(text)
	if !ok {
		return time.Time{}, false, refuse(http.StatusBadRequest, 1014, "Неверный формат даты в параметре '%s': %s", name, text).about(name)
	}
	return t, true, nil
}

// parseMoment accepts the documented forms: with and without milliseconds and seconds. A date alone is not one of them.
func parseMoment(text string) (time.Time, bool) {
	for _, layout := range []string{moysklad.Layout + ".000", moysklad.Layout, "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, text, moysklad.Moscow); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
