/** A person who can sign in without a password. This provider is for development only. */
export interface Person {
  readonly login: string
  readonly name: string
  readonly roles: readonly string[]
}

export const people: readonly Person[] = [
  { login: 'vera', name: 'Vera Viewer', roles: ['payments-viewer'] },
  { login: 'omar', name: 'Omar Operator', roles: ['payments-operator'] },
  { login: 'olga', name: 'Olga Operator', roles: ['payments-operator'] },
  { login: 'ada', name: 'Ada Admin', roles: ['payments-admin'] },
  { login: 'nils', name: 'Nils Nobody', roles: ['accounting'] },
]

export const rolesByClaim = {
  'payments-viewer': 'viewer',
  'payments-operator': 'operator',
  'payments-admin': 'admin',
} as const
