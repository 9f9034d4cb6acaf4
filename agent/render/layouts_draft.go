package render

import "github.com/kopeck/kopeck/schemas/bilingual"

var (
	productName = text("name", "Товар", "Product")
	productCode = text("code", "Код", "Code").missing("—", "—")
)

var draft = Layout{
	Text: bilingual.Text{RU: "Черновик", EN: "Draft"},
	Figures: []Column{
		text("kind", "Вид", "Kind").words(map[string]bilingual.Text{
			"purchase_order": {RU: "заказ поставщику", EN: "purchase order"},
			"transfer":       {RU: "перемещение", EN: "transfer"},
			"price_change":   {RU: "изменение цен", EN: "price change"},
			"gateway":        {RU: "запрос через шлюз", EN: "gateway request"},
		}),
		text("state", "Состояние", "State").words(map[string]bilingual.Text{
			"draft":     {RU: "черновик, ждёт подтверждения", EN: "draft, waits for confirmation"},
			"confirmed": {RU: "подтверждается", EN: "being created"},
			"created":   {RU: "создан", EN: "created"},
			"cancelled": {RU: "отменён", EN: "cancelled"},
			"expired":   {RU: "истёк", EN: "expired"},
			"failed":    {RU: "не создан", EN: "not created"},
		}),
		count("totals.lines", "Строк", "Lines"), units("totals.units", "Единиц", "Units").quiet(), money("totals.money", "Сумма", "Money").ownCurrency().quiet(),
		text("totals.vat", "НДС", "VAT").words(map[string]bilingual.Text{"none": {RU: "нет; берёт ли его поставщик, в учёте не сказано", EN: "none; whether the supplier charges it is not in the books"}}),
		text("document.name", "Документ", "Document"), text("document.href", "Ссылка", "Link"), text("failure.code", "Почему не создан", "Why not created").words(map[string]bilingual.Text{
			"DRAFT_STALE":                {RU: "данные в учёте изменились после показа; попросите черновик заново", EN: "the books have changed since it was shown; ask for a new draft"},
			"UPSTREAM_REJECTED":          {RU: "МойСклад отказал; исправьте, что он называет, и попросите черновик заново", EN: "MoySklad refused it; correct what it names and ask for a new draft"},
			"UPSTREAM_PERMISSION_DENIED": {RU: "роли сотрудника это не разрешено", EN: "the employee's role does not allow it"},
			"CONNECTION_DELETED":         {RU: "подключение, для которого он сделан, удалено; попросите черновик заново", EN: "the connection that it was made for has been deleted; ask for a new draft"},
			"DRAFT_EXPIRED":              {RU: "не удалось создать за отведённое время", EN: "it could not be created in the time there is"},
			"DRAFT_ALTERED":              {RU: "в хранилище не то, что было показано", EN: "what is stored is not what was shown"},
			"PARTLY_WRITTEN":             {RU: "записана только часть; проверьте документы, прежде чем просить новый черновик", EN: "only a part is written; look at the documents before asking for a new draft"},
			"OUTCOME_UNKNOWN":            {RU: "неизвестно, записан ли он; проверьте документы, прежде чем просить новый черновик", EN: "it is not known whether it is written; look at the documents before asking for a new draft"},
		}), text("failure.message", "Подробности", "Details"),
		text("code", "Код", "Code"), date("expires_at", "Срок подтверждения", "To be confirmed by"),
	},
	Sections: []Section{{Field: "parties", Quiet: true, Columns: []Column{
		text("role", "Кто и где", "Who and where").words(map[string]bilingual.Text{
			"organization":   {RU: "организация", EN: "organization"},
			"supplier":       {RU: "поставщик", EN: "supplier"},
			"warehouse":      {RU: "склад", EN: "warehouse"},
			"from_warehouse": {RU: "со склада", EN: "from warehouse"},
			"to_warehouse":   {RU: "на склад", EN: "to warehouse"},
		}),
		text("name", "Название", "Name"),
	}}, {Field: "lines", Columns: []Column{
		productName, productCode, units("units", "Количество", "Units").quiet(),
		text("price_type", "Тип цены", "Price type"), money("old_price", "Старая цена", "Old price"), money("price", "Цена", "Price").quiet(),
		text("price_source", "Откуда цена", "Price from").words(map[string]bilingual.Text{"argument": {RU: "задана в черновике", EN: "set in the draft"}, "product_card": {RU: "карточка товара", EN: "product card"}}),
		money("money", "Сумма", "Money").quiet(),
	}}, {Field: "left_out", Text: bilingual.Text{RU: "Не вошло в черновик", EN: "Left out of the draft"}, Quiet: true, Columns: []Column{
		productName, text("why", "Почему", "Why").words(map[string]bilingual.Text{
			"no_purchase_price": {RU: "нет закупочной цены в карточке", EN: "no purchase price on the card"},
			"archived":          {RU: "в архиве или удалён", EN: "archived or deleted"},
			"already_ordered":   {RU: "недостающее уже заказано и в пути", EN: "what is short is ordered already and on its way"},
		}),
	}}, {Field: "failure.changes", Text: bilingual.Text{RU: "Что записано", EN: "What was written"}, Quiet: true, Columns: []Column{
		productName, text("state", "Записано", "Written").words(map[string]bilingual.Text{
			"made":              {RU: "да", EN: "yes"},
			"refused":           {RU: "нет: отказ МойСклада", EN: "no: MoySklad refused it"},
			"changed_meanwhile": {RU: "нет: данные изменились после показа", EN: "no: the books have changed since it was shown"},
			"not_made":          {RU: "нет", EN: "no"},
		}),
	}}},
	Closing: howToConfirm,
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
