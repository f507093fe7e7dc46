import { Refusal } from '@merchant-payments/contract'
import { expect, test } from 'vitest'
import { cutPageOf, pageOf, parsePage } from './page.ts'

test('a page is cut at its limit, and says whether more lie beyond', () => {
  expect(pageOf([5, 4, 3], { limit: 2, endingBefore: null })).toEqual({ items: [5, 4], hasMore: true })
  expect(pageOf([5, 4], { limit: 2, endingBefore: null })).toEqual({ items: [5, 4], hasMore: false })
  expect(pageOf([], { limit: 2, endingBefore: null })).toEqual({ items: [], hasMore: false })
})

test('a page before a cursor was read oldest first, and is still newest first', () => {
  expect(pageOf([3, 4, 5], { limit: 2, endingBefore: 'a' })).toEqual({ items: [4, 3], hasMore: true })
})

test('the last row of a page that the database cut says whether more lie beyond', () => {
  const row = (n: number, followed: boolean) => ({ n, followed })
  const itemOf = ({ n }: { n: number }) => n
  const [newest, before] = [{ endingBefore: null }, { endingBefore: 'a' }]
  expect(cutPageOf([row(5, true), row(4, true)], newest, itemOf)).toEqual({ items: [5, 4], hasMore: true })
  expect(cutPageOf([row(5, true), row(4, false)], newest, itemOf)).toEqual({ items: [5, 4], hasMore: false })
  expect(cutPageOf([row(4, true), row(5, true)], before, itemOf)).toEqual({ items: [5, 4], hasMore: true })
  expect(cutPageOf([], newest, itemOf)).toEqual({ items: [], hasMore: false })
})

test('a page begins after a cursor, or ends before one, or neither', () => {
  expect(parsePage({ limit: 10 })).toEqual({
    limit: 10,
    startingAfter: null,
    endingBefore: null,
    created: null,
  })
  expect(parsePage({ limit: 10, starting_after: 'a' })).toEqual({
    limit: 10,
    startingAfter: 'a',
    endingBefore: null,
    created: null,
  })
  expect(parsePage({ limit: 10, ending_before: 'b' })).toEqual({
    limit: 10,
    startingAfter: null,
    endingBefore: 'b',
    created: null,
  })
  const created = { fromSec: 1, untilSec: 2 }
  expect(parsePage({ limit: 10, created })).toMatchObject({
    startingAfter: null,
    endingBefore: null,
    created,
  })
})

test('both cursors at once are refused', () => {
  expect(() => parsePage({ limit: 10, starting_after: 'a', ending_before: 'b' })).toThrow(
    new Refusal('invalid_request', 'cannot be combined with starting_after', { param: 'ending_before' }),
  )
})
