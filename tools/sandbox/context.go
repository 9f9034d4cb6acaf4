package sandbox

// contextRoutes registers the paths under /context, which are about the employee and the settings.
func (s *Sandbox) contextRoutes(read func(string, endpoint)) {
	read("/context/employee", func(r *request) (any, error) {
		o := r.view.employee(r.view.books.Employee)
		o["meta"] = metaOf(kindEmployee, r.view.books.Employee.ID)
		o["id"], o["accountId"], o["name"] = r.view.books.Employee.ID, r.view.books.AccountID, r.view.books.Employee.Name
		o["permissions"] = s.permissions()
		return o, r.expand(o)
	})
	read("/context/usersettings", func(r *request) (any, error) {
		o := object{
			"meta":   object{"href": base + "/context/usersettings", "type": "usersettings", "mediaType": "application/json"},
			"locale": "ru_RU", "autoShowReports": false, "printFormat": "pdf", "defaultScreen": "indicators",
			"defaultCompany": link{kind: kindOrganization, id: r.view.books.Organizations[0].ID},
			"defaultPlace":   link{kind: kindStore, id: r.view.books.Stores[mainStore].ID},
		}
		return o, r.expand(o)
	})
	read("/context/companysettings", func(r *request) (any, error) { return r.view.companySettings(), nil })
	read("/context/companysettings/pricetype", func(r *request) (any, error) { return r.view.priceTypes(), nil })
	read("/context/companysettings/pricetype/default", func(r *request) (any, error) { return r.view.priceTypes()[0], nil })
	read("/context/companysettings/pricetype/{id}", func(r *request) (any, error) {
		for _, column := range r.view.books.PriceTypes {
			if column.ID == r.PathValue("id") {
				return r.view.priceType(column), nil
			}
		}
		return nil, notFound(kindPriceType, r.PathValue("id"))
	})
}

// employee shows an employee without permissions. Only /context/employee shows those.
func (v view) employee(e *Employee) object {
	return v.withOwner(object{
		"externalCode": e.ID[:8], "archived": false, "uid": e.UID, "lastName": "Учётов", "firstName": "Устин", "middleName": "Устинович",
		"fullName": "Учётов Устин Устинович", "shortFio": e.Name, "email": "bot@example.org", "created": moment(v.books.Now.AddDate(-2, 0, 0)),
	})
}

// permissions returns the rights of the role. Rights that it does not have are missing from the object.
func (s *Sandbox) permissions() object {
	all := object{}
	grant := func(code string, rights ...string) {
		granted := object{}
		for _, right := range rights {
			granted[right] = "ALL"
		}
		all[code] = granted
	}
	writes := s.config.Role != ReadOnly
	for _, kind := range []Kind{kindProduct, kindVariant, kindBundle, kindService, kindCounterparty} {
		if writes {
			grant(string(kind), "view", "create", "update", "delete", "print")
		} else {
			grant(string(kind), "view", "print")
		}
	}
	for _, kind := range documentKinds {
		if writes {
			grant(string(kind), "view", "create", "update", "delete", "print", "approve")
		} else {
			grant(string(kind), "view", "print")
		}
		if s.config.OwnOrdersOnly && ownable(kind) {
			all[string(kind)].(object)["view"] = "OWN"
		}
	}
	for _, kind := range []Kind{
		kindStore, kindOrganization, kindEmployee, kindCurrency, kindSalesChannel, kindExpenseItem, kindUOM, kindContract, "project",
	} {
		grant(string(kind), "view")
	}
	flags := map[string]bool{
		"stock": !s.config.NoStockRight, "pnl": true, "dashboard": true, "dashboardMoney": !s.config.NoMoneyRight,
		"company_crm": !s.config.NoCRM, "tariff_crm": !s.config.NoCRM, "viewCashFlow": !s.config.NoMoneyRight,
		"viewProductCostAndProfit": s.config.Role != NoCost,
	}
	for flag, granted := range flags {
		if granted {
			grant(flag, "view")
		}
	}
	return all
}

func (v view) priceTypes() []object {
	columns := make([]object, len(v.books.PriceTypes))
	for i, column := range v.books.PriceTypes {
		columns[i] = v.priceType(column)
	}
	return columns
}

func (v view) companySettings() object {
	return object{
		"meta":             object{"href": base + "/context/companysettings", "type": "companysettings", "mediaType": "application/json"},
		"currency":         currencyTable.show(v, v.books.currency()),
		"priceTypes":       v.priceTypes(),
		"discountStrategy": "bySum", "globalOperationNumbering": false, "checkShippingStock": false, "checkMinPrice": false,
		"useRecycleBin": true, "useCompanyAddress": false, "accountCountry": "RU",
	}
}
