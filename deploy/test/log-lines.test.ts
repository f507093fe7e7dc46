import { readFile } from 'node:fs/promises'
import { alertNames } from '@merchant-payments/core'
import { logFields, logLines } from '@merchant-payments/telemetry'
import { describe, expect, test } from 'vitest'

const operations = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8')

/** The cells of the table whose head begins with this word, a row each. */
function tableOf(head: string): string[][] {
  const lines = operations.split('\n')
  const first = lines.findIndex((line) => line.startsWith(`| ${head} |`))
  expect(first).toBeGreaterThan(0)
  const rows = lines.slice(first + 2)
  return rows
    .slice(
      0,
      rows.findIndex((line) => !line.startsWith('|')),
    )
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const quoted = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ')

describe('docs/operations.md', () => {
  test('lists each log line with its processes, levels and fields', () => {
    const listed = tableOf('message').map(([message, apps, levels, , fields]) => [
      message,
      apps,
      levels,
      fields,
    ])
    expect(listed).toEqual(
      Object.entries(logLines).map(([message, { apps, levels, fields }]) => [
        `\`${message}\``,
        apps.join(', '),
        levels.join(', '),
        quoted(fields),
      ]),
    )
  })

  test('lists each field with its type', () => {
    expect(tableOf('field').map(([field, type]) => [field, type])).toEqual(
      Object.entries(logFields).map(([field, type]) => [`\`${field}\``, type]),
    )
  })

  test('lists each alert line', () => {
    const listed = tableOf('alert').map(([name = '']) => name.replaceAll('`', ''))
    expect(listed.toSorted()).toEqual([...alertNames].toSorted())
  })
})
