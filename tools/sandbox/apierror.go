package sandbox

import (
	"fmt"
	"net/http"
)

// refusal is an error answer. It can report several errors.
type refusal struct {
	status int
	errors []apiError
}

type apiError struct {
	Error     string `json:"error"`
	Code      int    `json:"code,omitempty"`
	Parameter string `json:"parameter,omitempty"`
	MoreInfo  string `json:"moreInfo,omitempty"`
}

func (r *refusal) Error() string { return r.errors[0].Error }

func (r *refusal) body() object { return object{"errors": r.errors} }

func refuse(status, code int, format string, args ...any) *refusal {
	return &refusal{status: status, errors: []apiError{{
		Error: fmt.Sprintf(format, args...), Code: code,
		MoreInfo: fmt.Sprintf("https://dev.moysklad.ru/doc/api/remap/1.2/#error_%d", code),
	}}}
}

// about sets the parameter that the error is about.
func (r *refusal) about(parameter string) *refusal {
	r.errors[0].Parameter = parameter
	return r
}

// refuseMissing reports all missing required fields in one error. It returns nil if fields is empty.
func refuseMissing(fields []string) error {
	if len(fields) == 0 {
		return nil
	}
	all := &refusal{status: http.StatusPreconditionFailed}
	for _, field := range fields {
		const format = "Ошибка сохранения объекта: поле '%s' не может быть пустым или отсутствовать"
		all.errors = append(all.errors, refuse(all.status, 3000, format, field).about(field).errors...)
	}
	return all
}

func notFound(kind Kind, id string) *refusal {
	return refuse(http.StatusNotFound, 1021, "Объект с типом '%s' и идентификатором '%s' не найден", kind, id)
}

func badPath(path string) *refusal {
	return refuse(http.StatusNotFound, 1002, "Неизвестный путь: %s", path)
}

// Refusals because a right is missing.

func noView() *refusal {
	return refuse(http.StatusForbidden, 1016, "Доступ запрещен: у вас нет прав на просмотр данного объекта")
}

func noEdit() *refusal {
	return refuse(http.StatusForbidden, 1017, "Доступ запрещен: у вас нет прав на редактирование данного объекта")
}

func noDelete() *refusal {
	return refuse(http.StatusForbidden, 1018, "Доступ запрещен: у вас нет прав на удаление данного объекта")
}

func noCreate() *refusal {
	return refuse(http.StatusForbidden, 1045, "Доступ запрещен: у вас нет прав на создание данного объекта")
}
