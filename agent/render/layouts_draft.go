package render

import (
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

var (
	productName = text("name", "Товар", "Product")
	productCode = text("code", "Код", "Code").missing("—", "—")
)

// draft is the layout of every draft. Its type stands with what writes, which this package cannot reach.
func draft() Layout {
	return Layout{
		Text: tools.ToolLabel(draftTool),
		Figures: []Column{
			text("kind", "Вид", "Kind").declared("kind"),
			text("state", "Состояние", "State").declared("state"),
			count("totals.lines", "Строк", "Lines"),
			units("totals.units", "Единиц", "Units").quiet(),
			money("totals.money", "Сумма", "Money").ownCurrency().quiet(),
			text("totals.vat", "НДС", "VAT").declared("totals.vat"),
			text("document.name", "Документ", "Document"), text("document.href", "Ссылка", "Link"),
			text("failure.code", "Почему не создан", "Why not created").declared("failure.code"),
			text("failure.message", "Подробности", "Details"),
			text("code", "Код", "Code"), date("expires_at", "Срок подтверждения", "To be confirmed by"),
		},
		Sections: []Section{{Field: "parties", Quiet: true, Columns: []Column{
			text("role", "Кто и где", "Who and where").declared("parties.role"),
			text("name", "Название", "Name"),
		}}, {Field: "lines", Columns: []Column{
			productName, productCode, units("units", "Количество", "Units").quiet(),
			text(
				"price_type", "Тип цены", "Price type",
			), money("old_price", "Старая цена", "Old price"), money("price", "Цена", "Price").quiet(),
			text("price_source", "Откуда цена", "Price from").declared("lines.price_source"),
			money("money", "Сумма", "Money").quiet(),
		}}, {Field: "left_out", Text: bilingual.Text{RU: "Не вошло в черновик", EN: "Left out of the draft"}, Quiet: true, Columns: []Column{
			productName, text("why", "Почему", "Why").declared("left_out.why"),
		}}, {Field: "failure.changes", Text: bilingual.Text{RU: "Что записано", EN: "What was written"}, Quiet: true, Columns: []Column{
			productName, text("state", "Записано", "Written").declared("failure.changes.state"),
		}}},
		Closing: howToConfirm,
	}
}

// draftTool is one of the tools that prepare drafts: they declare the same words.
const draftTool = "draft_purchase_order"

// declared takes the words of the column's values from the file of the drafts.
func (c Column) declared(path string) Column {
	c.Words = tools.ValuesOf(draftTool, path)
	return c
}

var calculation = Layout{
	Text: bilingual.Text{RU: "Расчёт", EN: "Calculation"},
	Figures: []Column{text("expression", "Выражение", "Expression"), number("value", "Значение", "Value"),
		flag("exact", "Точно", "Exact")},
}

// howToConfirm names the words that confirm a draft, and that ask for a confirmed one again: nothing else does.
func howToConfirm(lang string, fields map[string]any) string {
	code, ok := fields["code"].(string)
	if !ok {
		return ""
	}
	var before, after bilingual.Text
	switch fields["state"] {
	case "draft":
		before = bilingual.Text{RU: "Ничего не записано. Чтобы создать, ответьте: ", EN: "Nothing is written yet. To create it, answer: "}
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
