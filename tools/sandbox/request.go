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

// maxRows is the largest and the default size of a page. Pages of more than maxExpanded rows are not expanded.
const (
	maxRows     = 1000
	maxExpanded = 100
)

// request is a call with its parsed query.
type request struct {
	*http.Request
	query         url.Values
	limit, offset int
	view          view
}

// view is what the role may see of the books, for one answer.
type view struct {
	sandbox *Sandbox
	books   *Books
	costs   bool
	fields  string
	// expanded is true if minimumStock is shown because it was expanded. Its collection is then called storeBalances.
	expanded bool
}

// read parses the parameters that all calls have in common. It refuses wrong values of limit, offset and fields, and
// ignores unknown parameters.
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
	if fields := query.Get("fields"); fields != "" && (parsed.isSingle() || parsed.isExpandable()) || query.Get("expand") == "" {
		parsed.view.fields = query.Get("fields")
	}
	if strings.Contains(strings.ToLower(query.Get("expand")), "minimumstock") && parsed.expansions() != nil {
		parsed.view.fields = "minimumStock"
		parsed.view.expanded = true
	}
	if strings.Contains(parsed.view.fields, ",") {
		return nil, refuse(http.StatusBadRequest, 3042, "Параметр 'fields' принимает одно значение").about("fields")
	}
	return parsed, nil
}

// parseQuery parses a query. Unlike net/url, it accepts ";" as part of a value, as the upstream does.
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

// isExpandable reports whether the page is small enough to be expanded. A page of the default size is too large.
func (r *request) isExpandable() bool { return r.query.Has("limit") && r.limit <= maxExpanded }

// isSingle reports whether the call is about one entity rather than a list.
func (r *request) isSingle() bool {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	return parts[0] == "context" || len(parts) == 3 && parts[0] == "entity" || len(parts) == 5 && parts[3] == "positions" ||
		r.Method != http.MethodGet
}

// expansions returns the paths to expand. It returns none for large pages, because the upstream ignores expand for
// them.
func (r *request) expansions() []string {
	paths := r.query.Get("expand")
	if paths == "" || !r.isSingle() && !r.isExpandable() {
		return nil
	}
	return strings.Split(paths, ",")
}

// moment reads a parameter that is a time in Moscow.
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

// parseMoment parses a time in the documented formats: with or without seconds and milliseconds. It does not accept a
// date without a time.
func parseMoment(text string) (time.Time, bool) {
	for _, layout := range []string{moysklad.TimeLayout + ".000", moysklad.TimeLayout, "2006-01-02 15:04"} {
		if t, err := time.ParseInLocation(layout, text, moysklad.Moscow); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
