package tools

import "reflect"

// WithMaxRows returns the result with at most the given number of rows in each list. If it omits rows, it marks the
// result as truncated. Totals do not change. A result without a Truncated field, such as a draft, is returned
// unchanged.
func (r *Result) WithMaxRows(most int) *Result {
	value := reflect.ValueOf(r.Result)
	if value.Kind() != reflect.Struct || !value.FieldByName("Truncated").IsValid() {
		return r
	}
	shorter := reflect.New(value.Type()).Elem()
	shorter.Set(value)
	cut := false
	for i := range value.NumField() {
		list := value.Field(i)
		if list.Kind() == reflect.Slice && list.Type().Elem().Kind() == reflect.Struct && list.Len() > most {
			shorter.Field(i).Set(list.Slice(0, most))
			cut = true
		}
	}
	if !cut {
		return r
	}
	shorter.FieldByName("Truncated").SetBool(true)
	listing := *r
	listing.Result = shorter.Interface()
	return &listing
}
