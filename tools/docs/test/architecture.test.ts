import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8')

const isPath = (text: string): boolean =>
  /^[\w@.*-]+(?:\/[\w@.*-]+)+$/.test(text) || /^[\w.-]+\.(?:ts|tsx|mjs|md|ya?ml|json)$/.test(text)

describe('ARCHITECTURE.md', () => {
  test('names each file and folder by its path from the root', async () => {
    const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
      cwd: root,
    })
    const files = stdout.trimEnd().split('\n')
    const paths = new Set(
      files.flatMap((file) => file.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))),
    )
    const isKnown = (path: string) =>
      path.includes('*') ? paths.has(path.replace(/\/[^/]*\*.*$/, '')) : paths.has(path)
    const named = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text).filter(isPath)
    expect(named.length).toBeGreaterThan(150)
    expect(named.filter((path) => !isKnown(path))).toEqual([])
  })

  test('lists what each package uses of this repository', async () => {
    const rows = [...page.matchAll(/^\| `(\w+)` \| ([^|]*) \| [^|]* \|$/gm)].filter(([, , uses = '']) =>
      /^(?:nothing|`)/.test(uses),
    )
    expect(rows.length).toBeGreaterThan(9)
    for (const [, name = '', uses = ''] of rows) {
      const folder = name === 'api' || name === 'worker' ? 'apps' : 'packages'
      const { dependencies = {} } = JSON.parse(
        await readFile(join(root, folder, name, 'package.json'), 'utf8'),
      ) as { dependencies?: Record<string, string> }
      const used = Object.keys(dependencies).flatMap((one) => one.split('@merchant-payments/')[1] ?? [])
      const listed = [...uses.matchAll(/`(\w+)`/g)].map(([, one]) => one)
      expect({ name, listed }).toEqual({ name, listed: used })
    }
  })
})
