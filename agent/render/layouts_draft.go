package render

var draft = Layout{
	Label: Label{"Черновик", "Draft"},
	Figures: []Column{
		text("kind", "Вид", "Kind").words(map[string]Label{
			"purchase_order": {"заказ поставщику", "purchase order"},
			"transfer":       {"перемещение", "transfer"},
			"price_change":   {"изменение цен", "price change"},
			"gateway":        {"запрос через шлюз", "gateway request"},
		}),
		text("state", "Состояние", "State").words(map[string]Label{
			"draft":     {"черновик, ждёт подтверждения", "draft, waits for confirmation"},
			"confirmed": {"подтверждается", "being created"},
			"created":   {"создан", "created"},
			"cancelled": {"отменён", "cancelled"},
			"expired":   {"истёк", "expired"},
			"failed":    {"не создан", "not created"},
		}),
		count("totals.lines", "Строк", "Lines"), units("totals.units", "Единиц", "Units").quiet(), money("totals.money", "Сумма", "Money").ownCurrency().quiet(),
		text("totals.vat", "НДС", "VAT").words(map[string]Label{"none": {"нет; берёт ли его поставщик, в учёте не сказано", "none; whether the supplier charges it is not in the books"}}),
		text("document.name", "Документ", "Document"), text("document.href", "Ссылка", "Link"), text("failure.code", "Почему не создан", "Why not created").words(map[string]Label{
			"DRAFT_STALE":                {"данные в учёте изменились после показа; попросите черновик заново", "the books have changed since it was shown; ask for a new draft"},
			"UPSTREAM_REJECTED":          {"МойСклад отказал; исправьте, что он называет, и попросите черновик заново", "MoySklad refused it; correct what it names and ask for a new draft"},
			"UPSTREAM_PERMISSION_DENIED": {"роли сотрудника это не разрешено", "the employee's role does not allow it"},
			"CONNECTION_DELETED":         {"подключение, для которого он сделан, удалено; попросите черновик заново", "the connection that it was made for has been deleted; ask for a new draft"},
			"DRAFT_EXPIRED":              {"не удалось создать за отведённое время", "it could not be created in the time there is"},
			"DRAFT_ALTERED":              {"в хранилище не то, что было показано", "what is stored is not what was shown"},
			"PARTLY_WRITTEN":             {"записана только часть; проверьте документы, прежде чем просить новый черновик", "only a part is written; look at the documents before asking for a new draft"},
			"OUTCOME_UNKNOWN":            {"неизвестно, записан ли он; проверьте документы, прежде чем просить новый черновик", "it is not known whether it is written; look at the documents before asking for a new draft"},
		}), text("failure.message", "Подробности", "Details"),
		text("code", "Код", "Code"), date("expires_at", "Срок подтверждения", "To be confirmed by"),
	},
	Sections: []Section{{Field: "parties", Quiet: true, Columns: []Column{
		text("role", "Кто и где", "Who and where").words(map[string]Label{
			"organization":   {"организация", "organization"},
			"supplier":       {"поставщик", "supplier"},
			"warehouse":      {"склад", "warehouse"},
			"from_warehouse": {"со склада", "from warehouse"},
			"to_warehouse":   {"на склад", "to warehouse"},
		}),
		text("name", "Название", "Name"),
	}}, {Field: "lines", Columns: []Column{
		productName, productCode, units("units", "Количество", "Units").quiet(),
		text("price_type", "Тип цены", "Price type"), money("old_price", "Старая цена", "Old price"), money("price", "Цена", "Price").quiet(),
		text("price_source", "Откуда цена", "Price from").words(map[string]Label{"argument": {"задана в черновике", "set in the draft"}, "product_card": {"карточка товара", "product card"}}),
		money("money", "Сумма", "Money").quiet(),
	}}, {Field: "left_out", Label: Label{"Не вошло в черновик", "Left out of the draft"}, Quiet: true, Columns: []Column{
		productName, text("why", "Почему", "Why").words(map[string]Label{
			"no_purchase_price": {"нет закупочной цены в карточке", "no purchase price on the card"},
			"archived":          {"в архиве или удалён", "archived or deleted"},
			"already_ordered":   {"недостающее уже заказано и в пути", "what is short is ordered already and on its way"},
		}),
	}}, {Field: "failure.changes", Label: Label{"Что записано", "What was written"}, Quiet: true, Columns: []Column{
		productName, text("state", "Записано", "Written").words(map[string]Label{
			"made":              {"да", "yes"},
			"refused":           {"нет: отказ МойСклада", "no: MoySklad refused it"},
			"changed_meanwhile": {"нет: данные изменились после показа", "no: the books have changed since it was shown"},
			"not_made":          {"нет", "no"},
		}),
	}}},
	Closing: howToConfirm,
}

var draftLayouts = map[string]Layout{
	"draft_purchase_order": draft,
	"draft_transfer":       draft,
	"draft_price_change":   draft,
}

// howToConfirm names the words that confirm a draft, and that ask for a confirmed one again: nothing else does.
func howToConfirm(lang string, fields map[string]any) string {
	code, ok := fields["code"].(string)
	if !ok {
		return ""
	}
	var before, after Label
	switch fields["state"] {
	case "draft":
		before = Label{"Ничего не записано. Чтобы создать, ответьте: ", "Nothing is written yet. To create it, answer: "}
	case "confirmed":
		before = Label{
			"Подтверждение принято, но ответа МойСклада ещё нет: документ создаётся без вас. Что с ним, узнаете, повторив ",
			"The confirmation is recorded, but MoySklad has not answered yet: the document is being created without you. To see what became of it, repeat ",
		}
		after = Label{"; второго документа не будет.", "; there will be no second document."}
	default:
		return ""
	}
	return before.in(lang) + "**" + Label{"подтверждаю ", "confirm "}.in(lang) + Inline(code) + "**" + after.in(lang)
}
