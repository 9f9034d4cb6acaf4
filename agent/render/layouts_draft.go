package render

import (
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

var (
	productName = text("name", "Товар", "Product")
	productCode = text("code", "Код", "Code").missing("—", "—")
)

// draftLayout returns the layout of all drafts. It is written here because drafts are declared in tools/drafts, which
// this package must not import.
func draftLayout() Layout {
	return Layout{
		Text:   tools.ToolLabel(draftTool),
		Titled: 3, // "Черновик PO-3DDG0M: заказ поставщику — отменён"
		Figures: []Column{
			text("code", "Код", "Code"),
			text("kind", "Вид", "Kind").withDraftWords("kind"),
			text("state", "Состояние", "State").withDraftWords("state"),
			{Field: "parties", Text: bilingual.Text{RU: "Стороны", EN: "Parties"}, Parts: []Column{
				text("role", "Роль", "Role").withDraftWords("parties.role"), text("name", "Название", "Name"),
			}},
			units("totals.units", "Единиц", "Units").quiet(),
			money("totals.money", "Сумма", "Money").ownCurrency().quiet(),
			text("totals.vat", "НДС", "VAT").withDraftWords("totals.vat"),
			text("document.name", "Документ", "Document").except("price_change"), // its lines are what was changed
			text("failure.code", "Почему не создан", "Why not created").withDraftWords("failure.code"),
			text("failure.message", "Подробности", "Details"),
		},
		Sections: []Section{{Field: "lines", Columns: []Column{
			productName, productCode, units("units", "Количество", "Units").quiet(),
			text("price_type", "Тип цены", "Price type"), money("old_price", "Старая цена", "Old price"), money("price", "Цена", "Price").quiet(),
			text("price_source", "Откуда цена", "Price from").withDraftWords("lines.price_source").differs(),
			money("money", "Сумма", "Money").quiet(),
		}}, {Field: "left_out", Text: bilingual.Text{RU: "Не вошло в черновик", EN: "Left out of the draft"}, Quiet: true, Columns: []Column{
			productName, text("why", "Почему", "Why").withDraftWords("left_out.why"),
		}}, {Field: "failure.changes", Text: bilingual.Text{RU: "Что записано", EN: "What was written"}, Quiet: true, Columns: []Column{
			productName, text("state", "Записано", "Written").withDraftWords("failure.changes.state"),
		}}},
		Closing: howToConfirm,
	}
}

// draftTool is one of the tools that prepare drafts. All of them have the same labels.
const draftTool = "draft_purchase_order"

// withDraftWords adds the labels that the draft tools declare for the values of a column.
func (c Column) withDraftWords(path string) Column {
	c.Words = tools.ValuesOf(draftTool, path)
	return c
}

var calculationLayout = Layout{
	Text: bilingual.Text{RU: "Расчёт", EN: "Calculation"},
	Figures: []Column{text("expression", "Выражение", "Expression"), number("value", "Значение", "Value"),
		flag("exact", "Точно", "Exact")},
}

// howToConfirm returns the command that confirms a draft, or the command that asks for the state of a confirmed one.
// Only this text contains the command.
func howToConfirm(lang string, fields map[string]any) string {
	code, ok := fields["code"].(string)
	if !ok {
		return ""
	}
	var before, after bilingual.Text
	switch fields["state"] {
	case "draft":
		before = bilingual.Text{RU: "Ничего не записано. Чтобы записать, ответьте: ", EN: "Nothing is written yet. To write it, answer: "}
		until, _ := fields["expires_at"].(string)
		after = bilingual.Text{RU: ", до " + moment(lang, until) + ".", EN: ", by " + moment(lang, until) + "."}
	case "confirmed":
		before = bilingual.Text{
			RU: "Подтверждение принято, но ответа МойСклада ещё нет: документ создаётся без вас. Что с ним, узнаете, повторив ",
			EN: "The confirmation is recorded, but MoySklad has not answered yet: the document is being created without you. To see what became of it, repeat ",
		}
		after = bilingual.Text{RU: "; второго документа не будет.", EN: "; there will be no second document."}
	default:
		return ""
	}
	return before.In(lang) + "**" + bilingual.Text{RU: "подтверждаю ", EN: "confirm "}.In(lang) + Inline(code) + "**" + after.In(lang)
}
