// What the tab remembers. The key and the choice of an account end with the tab; only taste outlives it.

const kept = (storage, name) => ({
  get: () => { try { return storage.getItem('kopeck.' + name) } catch { return null } },
  set: value => {
    try { value === null ? storage.removeItem('kopeck.' + name) : storage.setItem('kopeck.' + name, value) } catch { /* a browser that keeps nothing still works */ }
  },
})

export const tab = {
  key: kept(sessionStorage, 'key'),
  organization: kept(sessionStorage, 'organization'), // an operator's choice
  connection: kept(sessionStorage, 'connection'),     // of several accounts
  language: kept(localStorage, 'language'),
  theme: kept(localStorage, 'theme'),
}
