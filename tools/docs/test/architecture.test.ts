import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../', import.meta.url))
const page = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8')

const { stdout } = await run('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
const files = stdout.trimEnd().split('\n')
const paths = new Set(
  files.flatMap((file) => file.split('/').map((_, at, parts) => parts.slice(0, at + 1).join('/'))),
)
const isKnown = (path: string) =>
  /[*<]/.test(path) ? paths.has(path.replace(/\/[^/]*[*<].*$/, '')) : paths.has(path)
const inBackticks = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)

const isPath = (text: string): boolean =>
  /^[\w@.*-]+(?:\/[\w@.*-]+)+$/.test(text) || /^[\w.-]+\.(?:ts|tsx|mjs|md|ya?ml|json)$/.test(text)

describe('ARCHITECTURE.md', () => {
  test('names each file and folder by its path from the root', () => {
    const named = inBackticks(page).filter(isPath)
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

describe('CONTRIBUTING.md and the decisions', () => {
  const groups = ['apps', 'packages', 'tools']
  const folders = new Set(
    [...paths].flatMap((path) => {
      const [group = '', name, ...rest] = path.split('/')
      return groups.includes(group) && name !== undefined && rest.length === 0 ? [name] : []
    }),
  )
  const beginnings = new Set([...groups, ...folders, 'bench', 'deploy', 'e2e', 'examples'])
  /** Files of a release or a migration to come, and packages of a time before. */
  const absent =
    /^packages\/(?:db\/releases\/0\.2\.\w+(?:\.br)?|db\/migrations\/NNNN_name\.sql|log|metrics|tracing)$/
  const documents = files.filter(
    (file) => file === 'CONTRIBUTING.md' || /^docs\/decisions\/.*\.md$/.test(file),
  )

  test.each(documents)('%s names files and folders by their paths from the root', async (document) => {
    const named = inBackticks(await readFile(join(root, document), 'utf8')).filter(
      (text) => /^[\w@.*<>-]+(?:\/[\w@.*<>-]+)+$/.test(text) && beginnings.has(text.split('/')[0] ?? ''),
    )
    expect(named.filter((path) => !isKnown(path) && !absent.test(path))).toEqual([])
  })
})
