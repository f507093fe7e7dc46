import { describe, expect, test } from 'vitest'
import { createBoundedLog, createBoundedMap } from './bounded.ts'

describe('a bounded map', () => {
  test('forgets the oldest entry when it is full, and counts what it forgot', () => {
    const map = createBoundedMap<string, number>(2)
    map.set('a', 1)
    map.set('b', 2)
    map.set('a', 3)
    map.set('c', 4)
    map.set('d', 5)
    expect([map.get('a'), map.get('b'), map.get('c'), map.get('d')]).toEqual([undefined, undefined, 4, 5])
    expect(map.dropped()).toBe(2)
  })

  test('still forgets the oldest after it was cleared', () => {
    const map = createBoundedMap<number, number>(2)
    for (let n = 0; n < 5; n++) map.set(n, n)
    map.clear()
    for (let n = 10; n < 15; n++) map.set(n, n)
    expect(map.newest(10)).toEqual([13, 14])
    expect(map.dropped()).toBe(3)
  })

  test('lists the newest entries that match, oldest of them first', () => {
    const map = createBoundedMap<number, number>(10)
    for (let n = 0; n < 10; n++) map.set(n, n)
    expect(map.newest(2, (n) => n % 2 === 0)).toEqual([6, 8])
  })
})

test('a bounded log counts every entry ever appended, dropped ones included', () => {
  const log = createBoundedLog<string>(2)
  for (const entry of ['a', 'b', 'c']) log.append(entry)
  expect({ newest: log.newest(10), count: log.count(), dropped: log.dropped() }).toEqual({
    newest: ['b', 'c'],
    count: 3,
    dropped: 1,
  })
})
