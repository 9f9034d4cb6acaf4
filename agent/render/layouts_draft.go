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
		text("document.name", "Документ", "Document"), text("document.href", "Ссылка", "Link"), text("failure.message", "Почему не создан", "Why not created"),
		text("code", "Код", "Code"), date("expires_at", "Можно подтвердить до", "Can be confirmed until"),
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
		text("price_source", "Откуда цена", "Price from").words(map[string]Label{"argument": {"названа вами", "named by you"}, "product_card": {"карточка товара", "product card"}}),
		money("money", "Сумма", "Money").quiet(),
	}}, {Field: "left_out", Label: Label{"Не вошло в черновик", "Left out of the draft"}, Quiet: true, Columns: []Column{
		productName, text("why", "Почему", "Why").words(map[string]Label{
			"no_purchase_price": {"нет закупочной цены в карточке", "no purchase price on the card"},
			"archived":          {"в архиве или удалён", "archived or deleted"},
		}),
	}}},
	Closing: howToConfirm,
}

var draftLayouts = map[string]Layout{
	"draft_purchase_order": draft,
	"draft_transfer":       draft,
	"draft_price_change":   draft,
}

// howToConfirm names the words that confirm a draft: nothing else does.
func howToConfirm(lang string, fields map[string]any) string {
	code, ok := fields["code"].(string)
	if !ok || fields["state"] != "draft" {
		return ""
	}
	return Label{"Ничего не записано. Чтобы создать, ответьте: **подтверждаю ", "Nothing is written yet. To create it, answer: **confirm "}.in(lang) + Inline(code) + "**"
}
