import * as contract from '@merchant-payments/contract'
import { expect, test } from 'vitest'
import { changes, COMPARE, EXPORTS, LOOKUP, reads, STATEMENTS } from './operations.ts'

const staffs = Object.values(contract).flatMap((value) => {
  const isOperation = typeof value === 'object' && value !== null && 'surface' in value
  return isOperation && value.surface === 'dash' ? [value] : []
})
const declared = staffs.map(({ method, path, role }) => `${method} ${path} ${role}`)

test('each read is a GET of the contract, and the look-up and the export a POST, for every role', () => {
  const asked = Object.values(reads).map((path) => `GET /dash/v1${path} viewer`)
  expect(asked.filter((line) => !declared.includes(line))).toEqual([])
  for (const path of [LOOKUP, EXPORTS]) expect(declared).toContain(`POST /dash/v1${path} viewer`)
})

test('each change is a POST of the contract, shown to the roles that may make it', () => {
  const sent = Object.values(changes).map(({ path, role }) => `POST /dash/v1${path} ${role}`)
  const statements = [STATEMENTS, COMPARE].map((path) => `POST /dash/v1${path} operator`)
  expect([...sent, ...statements].filter((line) => !declared.includes(line))).toEqual([])
})

test('the dashboard has every read and change of staff', () => {
  const known = [
    ...Object.values(reads),
    ...Object.values(changes).map(({ path }) => path),
    '/sign_out',
    LOOKUP,
    EXPORTS,
    STATEMENTS,
    COMPARE,
  ]
  expect(
    staffs.map(({ path }) => path).filter((path) => !known.includes(path.slice(8) as `/${string}`)),
  ).toEqual([])
})
