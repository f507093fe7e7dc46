/** Somebody who can sign in, without a password: this provider is for development alone. */
export interface Person {
  readonly login: string
  readonly name: string
  /** The values of the claim `roles`. */
  readonly roles: readonly string[]
}

export const people: readonly Person[] = [
  { login: 'vera', name: 'Vera Viewer', roles: ['payments-viewer'] },
  { login: 'omar', name: 'Omar Operator', roles: ['payments-operator'] },
  { login: 'olga', name: 'Olga Operator', roles: ['payments-operator'] },
  { login: 'ada', name: 'Ada Admin', roles: ['payments-admin'] },
  { login: 'nils', name: 'Nils Nobody', roles: ['accounting'] },
]

/** What a deployment's `staff.roles` makes of them. */
export const rolesByClaim = {
  'payments-viewer': 'viewer',
  'payments-operator': 'operator',
  'payments-admin': 'admin',
} as const
