import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { writePlace } from '../src/place.ts'
import { startFakeApi } from './fake-api.ts'
import { runCli, startCli, startServer, temporaryFolder } from './run-cli.ts'

const isList = (path: string) => path === '/v1/events'

test('Ctrl-C stops it while the service does not answer', async () => {
  const api = await startFakeApi()
  const server = await startServer(200)
  const running = startCli(['listen', '--forward-to', server.url, '--json'], api.merchant)
  const reached = new Promise<void>((resolve) => {
    let lists = 0
    api.fate = (_method, path) => {
      if (!isList(path)) return null
      lists += 1
      // The first list is that of the place at which it begins.
      if (lists === 1) return null
      resolve()
      return 'silent'
    }
  })
  await running.line()
  await reached
  expect(await running.stop()).toBe(0)
})

test('waits while an ingress answers with a page that is not the service’s', async () => {
  const api = await startFakeApi()
  const server = await startServer(200)
  const args = ['listen', '--forward-to', server.url, '--json']
  const running = startCli(args, api.merchant)
  await running.line()
  let pages = 0
  api.fate = (_method, path) => {
    if (!isList(path) || pages === 2) return null
    pages += 1
    return { status: 404, body: '<html>no backend</html>' }
  }
  const { id } = await api.payments.customers.create({ name: 'Awa' })
  const [event] = api.service.events()
  expect(JSON.parse(await running.line())).toMatchObject({ event: event?.id, object: id, status: 200 })
  expect(pages).toBe(2)
})

test('with --once it delivers each event that is there, also those beyond one page', async () => {
  const api = await startFakeApi()
  const server = await startServer(200)
  const file = join(await temporaryFolder(), 'place.json')
  for (let n = 0; n < 102; n += 1) await api.payments.customers.create({ name: `n${n}` })
  const [first, ...waiting] = api.service.events()
  await writePlace(file, { cursor: first?.id ?? null, secret: 'whsec' })
  const args = ['listen', '--forward-to', server.url, '--state', file, '--once']
  expect((await runCli(args, api.merchant)).code).toBe(0)
  const posted = server.posts.map(({ body }) => (JSON.parse(body) as { id: string }).id)
  expect(posted).toEqual(waiting.map(({ id }) => id))
})

test('with --once it leaves events that come meanwhile to the next run', async () => {
  const api = await startFakeApi()
  const server = await startServer(200)
  const file = join(await temporaryFolder(), 'place.json')
  for (let n = 0; n < 102; n += 1) await api.payments.customers.create({ name: `n${n}` })
  const [first, ...waiting] = api.service.events()
  await writePlace(file, { cursor: first?.id ?? null, secret: 'whsec' })
  let lists = 0
  api.fate = (_method, path) => {
    if (isList(path)) lists += 1
    // The first page is followed by a list of the last event to deliver.
    if (isList(path) && lists > 2 && lists < 10) void api.payments.customers.create({ name: 'later' })
    return null
  }
  const args = ['listen', '--forward-to', server.url, '--state', file, '--once']
  expect((await runCli(args, api.merchant)).code).toBe(0)
  const posted = () => server.posts.map(({ body }) => (JSON.parse(body) as { id: string }).id)
  expect(posted()).toEqual(waiting.map(({ id }) => id))
  expect(api.service.events().length).toBeGreaterThan(102)
  expect((await runCli(args, api.merchant)).code).toBe(0)
  expect(posted()).toEqual(
    api.service
      .events()
      .slice(1, posted().length + 1)
      .map(({ id }) => id),
  )
  expect(posted().length).toBeGreaterThan(waiting.length)
})

test('several can keep their place in one file at once', async () => {
  const file = join(await temporaryFolder(), 'state', 'place.json')
  const writes = Array.from({ length: 50 }, (_, at) =>
    writePlace(file, { cursor: `evt_${at}`, secret: 'whsec' }),
  )
  expect(await Promise.allSettled(writes)).toEqual(
    writes.map(() => ({ status: 'fulfilled', value: undefined })),
  )
})

test('names the file if its place cannot be read', async () => {
  const api = await startFakeApi()
  const folder = join(await temporaryFolder(), 'place')
  await mkdir(folder)
  const args = ['listen', '--forward-to', 'http://127.0.0.1:1/', '--state', folder, '--once']
  const { code, stderr } = await runCli(args, api.merchant)
  expect(code).toBe(74)
  expect(stderr).toContain(`${folder} (EISDIR)`)
  expect(stderr).not.toContain('    at ')
})
