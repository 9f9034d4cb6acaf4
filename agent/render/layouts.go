package render

import "maps"

var layouts = func() map[string]Layout {
	all := map[string]Layout{}
	for _, group := range []map[string]Layout{stockLayouts, salesLayouts, purchaseLayouts, moneyLayouts, draftLayouts} {
		maps.Copy(all, group)
	}
	return all
}()
