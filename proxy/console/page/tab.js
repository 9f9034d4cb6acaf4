// What the browser stores. The key and the choice of an account are deleted when the tab is closed. Only preferences are
// kept.

const kept = (storage, name) => ({
  get: () => { try { return storage.getItem('kopeck.' + name) } catch { return null } },
  set: value => {
    try { value === null ? storage.removeItem('kopeck.' + name) : storage.setItem('kopeck.' + name, value) } catch { /* a browser that keeps nothing still works */ }
  },
})

export const tab = {
  key: kept(sessionStorage, 'key'),
  organization: kept(sessionStorage, 'organization'), // chosen by an operator
  connection: kept(sessionStorage, 'connection'),     // chosen from several accounts
  language: kept(localStorage, 'language'),
  theme: kept(localStorage, 'theme'),
}
