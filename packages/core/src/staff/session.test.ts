import { expect, test } from 'vitest'
import { reaches, roleOf } from './session.ts'

const roles = new Map([
  ['support', 'viewer'],
  ['operations', 'operator'],
  ['owners', 'admin'],
] as const)

test.each([
  [[], null],
  [['accounting'], null],
  [['Support'], null],
  [['support'], 'viewer'],
  [['support', 'operations'], 'operator'],
  [['owners', 'support', 'accounting'], 'admin'],
  [['__proto__', 'constructor'], null],
] as const)('the claims %j give the role %j', (claims, role) => {
  expect(roleOf(claims, roles)).toBe(role)
})

test('a role may do what it and the roles before it may', () => {
  const all = ['viewer', 'operator', 'admin'] as const
  expect(all.map((role) => all.map((needed) => reaches(role, needed)))).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
})
