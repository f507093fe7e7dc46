import { expect, test } from 'vitest'
import { rememberLinks } from './links.ts'

const link = { publishableKey: 'pk_shop', clientSecret: 'pi_1_secret_1_a' }
const elsewhere = { ...link, publishableKey: 'pk_other' }

test('a new link counts once in a second, until its answer tells what it opens', () => {
  let nowMs = 0
  const links = rememberLinks(() => nowMs)
  expect([links.isPayers(link), links.isPayers(link)]).toEqual([true, false])
  nowMs = 999
  expect(links.isPayers(link)).toBe(false)
  nowMs = 1_000
  expect([links.isPayers(link), links.isPayers(link)]).toEqual([true, false])
})

test('a link that opens something counts each time, and one that opens nothing never, whenever they are used', () => {
  let nowMs = 0
  const links = rememberLinks(() => nowMs)
  links.isPayers(link)
  links.isPayers(elsewhere)
  links.learn(link, true)
  links.learn(elsewhere, false)
  nowMs = 60_000
  expect([links.isPayers(link), links.isPayers(link)]).toEqual([true, true])
  expect([links.isPayers(elsewhere), links.isPayers(elsewhere)]).toEqual([false, false])
})

test('a link that opens something again counts again', () => {
  const links = rememberLinks(() => 0)
  links.learn(link, false)
  links.learn(link, true)
  expect([links.isPayers(link), links.isPayers(link)]).toEqual([true, true])
})
