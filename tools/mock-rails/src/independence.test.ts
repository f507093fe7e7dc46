import { readdir, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const sources = fileURLToPath(new URL('./', import.meta.url))

test('the mock imports nothing of the service, because shared code would agree with the adapters’ bugs', async () => {
  const names = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const texts = await Promise.all(names.map((name) => readFile(`${sources}${name}`, 'utf8')))
  const imported = texts.flatMap((text) =>
    [...text.matchAll(/^(?:import .*|export .*|\} )from '([^.'][^']*)'/gm)].map(([, name = '']) => name),
  )
  expect(new Set(imported.filter((name) => !name.startsWith('node:')))).toEqual(
    new Set(['fastify', 'vitest', 'zod']),
  )
})
