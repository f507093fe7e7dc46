import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { uuidOf } from '../src/base/ids.ts'
import { parseQuestion } from '../src/screens/lookup/question.ts'
import { findCustomersNamed } from '../src/screens/lookup/store.ts'
import { openWorld, saveCustomer } from './world.ts'

const world = await openWorld()
afterAll(() => world.stop())

async function isFound(name: string, text: string): Promise<boolean> {
  const id = await saveCustomer(world)
  await sql`update customers set name = ${name} where id = ${uuidOf(id)}::uuid`.execute(world.owner.writer)
  const { name: question } = parseQuestion(text, '237')
  const found = question === null ? [] : await findCustomersNamed(world.db.reader, question, 20)
  await sql`delete from customers where id = ${uuidOf(id)}::uuid`.execute(world.owner.writer)
  return found.some((row) => row.name === name)
}

test.each([
  'Awa Ngonó',
  'N’Diaye',
  "Fatou N'Diaye",
  'Ngǒ Bǎssa',
  'Ekwē Ndong',
  'Łukasz Žižek',
  'M.Talla',
  'Awa/Bea',
  'Mbarga-Étienne',
  'ÉTIENNE',
  'Al',
  'Awa 2',
  'Boutique Awa (Douala), chez Bea & Co',
  'Jean Paul Marie Claire Anne Luc Ngo',
  String.raw`Awa \\ Bea`,
  "O''Neil",
  'awa.bea.cm/shop',
])('the customer %s is found by the name as it is stored', async (name) => {
  expect(await isFound(name, name)).toBe(true)
})

test.each([
  ['N’Diaye', "n'diaye"],
  ["N'Diaye", 'N’DIAYE'],
  ["N'Diaye", 'Diaye'],
  ['Awa Ngonó', 'ngono'],
  ['Awa Ngono', 'Ngonó'],
  ['Ngono\u0301', 'Ngon\u00F3'],
  ['Ngon\u00F3', 'Ngono\u0301'],
  ['Ngǒ Bǎssa', 'ngǒ bǎ'],
  ['Marie-Claire', 'Marie Claire'],
  ['Marie Claire', 'Marie-Claire'],
  ['Marie-Claire', 'marie-cl'],
])('the customer %s is found by %s', async (name, text) => {
  expect(await isFound(name, text)).toBe(true)
})

test.each([
  ['Awa Ngono', 'Awa Bassong'],
  ['Alain', 'Al'],
  ['Awa', "'|'b"],
  ['[redacted]', '[redacted]'],
])('the customer %s is not found by %s', async (name, text) => {
  expect(await isFound(name, text)).toBe(false)
})
