package sandbox

import "strings"

// tables has the table of GET /entity/{kind} for each kind. It is filled in init, because the tables refer to each
// other through links.
var tables = map[Kind]entities{}

func init() {
	tables[kindStore] = storeTable
	tables[kindOrganization] = organizationTable
	tables[kindCounterparty] = counterpartyTable
	tables[kindSalesChannel] = channelTable
	tables[kindContract] = contractTable
	tables[kindCurrency] = currencyTable
	tables[kindEmployee] = employeeTable
	tables[kindFolder] = folderTable
	tables[kindUOM] = uomTable
	tables[kindExpenseItem] = expenseTable
	tables[kindProduct] = itemTable(kindProduct)
	tables[kindVariant] = itemTable(kindVariant)
	tables[kindBundle] = itemTable(kindBundle)
	tables[kindService] = itemTable(kindService)
	for _, kind := range documentKinds {
		tables[kind] = documentTable(kind)
	}
}

// entry has the fields that all small entities have. Code may be empty.
type entry struct {
	id, name, code string
	archived       bool
}

func (s *Store) entry() entry        { return entry{s.ID, s.Name, s.Code, s.Archived} }
func (o *Organization) entry() entry { return entry{o.ID, o.Name, "", o.Archived} }
func (c *SalesChannel) entry() entry { return entry{c.ID, c.Name, "", c.Archived} }
func (c *Contract) entry() entry     { return entry{c.ID, c.Name, "", c.Archived} }
func (c *Currency) entry() entry     { return entry{c.ID, c.Name, c.Code, c.Archived} }
func (e *Employee) entry() entry     { return entry{e.ID, e.Name, "", false} }
func (f *Folder) entry() entry       { return entry{f.ID, f.Name, "", false} }
func (u *UOM) entry() entry          { return entry{u.ID, u.Name, u.Code, false} }
func (e *ExpenseItem) entry() entry  { return entry{e.ID, e.Name, "", false} }
func (c *Counterparty) entry() entry { return entry{c.ID, c.Name, c.Code, c.Archived} }
func (s *State) entry() entry        { return entry{id: s.ID} }
func (p *PriceType) entry() entry    { return entry{id: p.ID} }

// listed is a pointer to a small entity.
type listed[T any] interface {
	*T
	entry() entry
}

// idOf returns the id of a small entity. It returns "" for nil.
func idOf[T any, P listed[T]](one *T) string {
	if one == nil {
		return ""
	}
	return P(one).entry().id
}

// dictionary returns the table of a small entity. A search finds substrings of name and code. For warehouses and
// folders, it finds only words that begin with the text.
func dictionary[T any, P listed[T]](kind Kind, rows func(*Books) []*T, show func(view, *T) object) *table[T] {
	of := func(row *T) entry { return P(row).entry() }
	return &table[T]{
		kind: kind, rows: rows, substrings: kind != kindStore && kind != kindFolder,
		id:     func(row *T) string { return of(row).id },
		search: func(row *T) []string { return []string{of(row).name, of(row).code} },
		columns: map[string]column[T]{
			"id":       {idColumn, func(row *T) value { return textValue(of(row).id) }},
			"name":     {textColumn, func(row *T) value { return textValue(of(row).name) }},
			"code":     {textColumn, func(row *T) value { return textValue(of(row).code) }},
			"archived": {flagColumn, func(row *T) value { return boolValue(of(row).archived) }},
		},
		show: func(v view, row *T) object {
			o := show(v, row)
			o["meta"] = metaOf(kind, of(row).id)
			o["id"] = of(row).id
			o["accountId"] = v.books.AccountID
			o["name"] = of(row).name
			return o
		},
	}
}

var storeTable = dictionary(kindStore,
	func(b *Books) []*Store { return b.Stores },
	func(v view, s *Store) object {
		o := v.withOwner(object{
			"code": s.Code, "externalCode": s.ID[:8], "archived": s.Archived, "pathName": "",
			"slots": collection{href: hrefOf(kindStore, s.ID) + "/slots", kind: "slot", rows: noRows},
			"zones": collection{href: hrefOf(kindStore, s.ID) + "/zones", kind: "storezone", rows: noRows},
		})
		if s.Parent != nil {
			o["parent"] = link{kind: kindStore, id: s.Parent.ID}
			o["pathName"] = s.Parent.Name
		}
		return o
	})

var organizationTable = dictionary(kindOrganization,
	func(b *Books) []*Organization { return b.Organizations },
	func(v view, o *Organization) object {
		companyType := "legal"
		if len(o.INN) == 12 {
			companyType = "entrepreneur"
		}
		return v.withOwner(object{
			"legalTitle": o.LegalTitle, "inn": o.INN, "companyType": companyType, "archived": o.Archived, "externalCode": o.ID[:8],
			"isEgaisEnable": false, "payerVat": true,
			"accounts": collection{
				href: hrefOf(kindOrganization, o.ID) + "/accounts",
				kind: kindAccount,
				size: len(o.Accounts),
				rows: func() []object { return v.accounts(o) },
			},
		})
	})

// accounts returns the rows of /entity/organization/{id}/accounts.
func (v view) accounts(o *Organization) []object {
	rows := make([]object, len(o.Accounts))
	for i, account := range o.Accounts {
		rows[i] = object{
			"meta": metaOf(kindAccount, account.path()), "id": account.ID, "accountId": v.books.AccountID,
			"updated": moment(v.books.Now.AddDate(0, -6, 0)), "isDefault": account.Default, "accountNumber": account.Number,
			"bankName": account.Bank, "bic": "044525000", "correspondentAccount": "30101810000000000000",
			"currency": link{kind: kindCurrency, id: account.Currency.ID},
		}
	}
	return rows
}

func (a *BankAccount) path() string { return a.Organization.ID + "/" + a.ID }

var channelTable = dictionary(kindSalesChannel,
	func(b *Books) []*SalesChannel { return b.Channels },
	func(v view, c *SalesChannel) object {
		return v.withOwner(object{"type": c.Type, "archived": c.Archived, "externalCode": c.ID[:8]})
	})

var contractTable = dictionary(kindContract,
	func(b *Books) []*Contract { return b.Contracts },
	func(v view, c *Contract) object {
		return v.withOwner(object{
			"contractType": c.Type, "moment": moment(v.books.Now.AddDate(-1, 0, 0)), "sum": Amount(0),
			"archived": c.Archived, "externalCode": c.ID[:8],
			"agent":    link{kind: kindCounterparty, id: c.Agent.ID},
			"ownAgent": link{kind: kindOrganization, id: v.books.Organizations[0].ID},
		})
	})

var currencyTable = dictionary(kindCurrency,
	func(b *Books) []*Currency { return b.Currencies },
	func(_ view, c *Currency) object {
		return object{
			"fullName": c.FullName, "code": c.Code, "isoCode": c.ISO, "rate": Amount(c.Rate), "multiplicity": 1, "indirect": false,
			"default": c.Default, "system": true, "archived": c.Archived, "rateUpdateType": "auto",
		}
	})

var employeeTable = dictionary(kindEmployee,
	func(b *Books) []*Employee { return []*Employee{b.Employee} },
	view.employee)

var folderTable = dictionary(kindFolder,
	func(b *Books) []*Folder { return b.Folders },
	func(v view, f *Folder) object {
		o := v.withOwner(object{"pathName": f.Path, "archived": false, "externalCode": f.ID[:8], "useParentVat": true})
		if f.Parent != nil {
			o["productFolder"] = link{kind: kindFolder, id: f.Parent.ID}
		}
		return o
	})

var uomTable = dictionary(kindUOM,
	func(b *Books) []*UOM { return b.UOMs },
	func(_ view, u *UOM) object { return object{"code": u.Code, "externalCode": u.ID[:8]} })

var expenseTable = dictionary(kindExpenseItem,
	func(b *Books) []*ExpenseItem { return b.ExpenseItems },
	func(v view, e *ExpenseItem) object {
		return object{"externalCode": e.ID[:8], "archived": false, "updated": moment(v.books.Now.AddDate(-1, 0, 0))}
	})

var counterpartyTable = dictionary(kindCounterparty,
	func(b *Books) []*Counterparty { return b.Counterparties },
	func(v view, c *Counterparty) object {
		o := v.withOwner(object{
			"code": c.Code, "externalCode": c.ID[:8], "companyType": c.CompanyType, "archived": c.Archived, "updated": moment(c.Updated),
			"created": moment(c.Updated.AddDate(0, -3, 0)), "tags": []string{}, "salesAmount": Amount(0), "bonusPoints": 0,
		})
		if c.CompanyType != "individual" {
			o["inn"] = c.INN
		}
		return o
	})

func showCounterparty(v view, c *Counterparty) object { return counterpartyTable.show(v, c) }

// withOwner adds the fields that entities with an owner have in common.
func (v view) withOwner(o object) object {
	o["owner"] = link{kind: kindEmployee, id: v.books.Employee.ID}
	o["group"] = link{kind: kindGroup, id: v.books.ids.of(kindGroup, 0)}
	o["shared"] = true
	if _, ok := o["updated"]; !ok {
		o["updated"] = moment(v.books.Now.AddDate(0, -2, 0))
	}
	return o
}

// state finds a status by the last part of its link, "kind/id".
func (v view) state(path string) (object, bool) {
	owner, id, _ := strings.Cut(path, "/")
	for _, state := range v.books.States[Kind(owner)] {
		if state.ID == id {
			return v.showState(state), true
		}
	}
	return nil, false
}

func (v view) showState(state *State) object {
	return object{
		"meta": metaOf(kindState, state.path()), "id": state.ID, "accountId": v.books.AccountID, "name": state.Name,
		"color": state.Color, "stateType": state.Type, "entityType": state.Kind,
	}
}

func (s *State) path() string { return string(s.Kind) + "/" + s.ID }

func noRows() []object { return []object{} }
