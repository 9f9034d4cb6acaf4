package tools

import "reflect"

// Listing is the result with at most so many rows in each of its lists, marked as truncated, for readers who look rather
// than compute. Totals stay. A result that has no place to say that it is truncated, such as a draft, stays whole.
func (r *Result) Listing(most int) *Result {
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
