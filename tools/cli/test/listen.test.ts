import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
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

test('a first run waits for the service, and ends with 69 if it runs once', async () => {
  const api = await startFakeApi()
  const server = await startServer(200)
  const args = ['listen', '--forward-to', server.url, '--json']
  let pages = 0
  api.fate = (_method, path) => {
    if (!isList(path) || pages === 2) return null
    pages += 1
    return { status: 404, body: '<html>no backend</html>' }
  }
  expect((await runCli([...args, '--once'], api.merchant)).code).toBe(69)
  const running = startCli(args, api.merchant)
  expect(JSON.parse(await running.line())).toMatchObject({ listening: { after: null } })
  expect(pages).toBe(2)
  expect(await running.stop()).toBe(0)
})

test('Ctrl-C stops a first run while the service does not answer', async () => {
  const api = await startFakeApi()
  const running = startCli(['listen', '--forward-to', 'http://127.0.0.1:1/', '--json'], api.merchant)
  await new Promise<void>((resolve) => {
    api.fate = (_method, path) => {
      if (isList(path)) resolve()
      return isList(path) ? 'silent' : null
    }
  })
  expect(await running.stop()).toBe(0)
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

/** Ports that a browser refuses to connect to. The first that is free is taken. */
const refusedPorts = [6000, 5060, 6666, 10080]

async function startOnRefusedPort() {
  for (const port of refusedPorts) {
    const ids: unknown[] = []
    const server = createServer((request, response) => {
      ids.push(request.headers['service-event-id'])
      response.end()
    }).listen(port, '127.0.0.1')
    const isTaken = await once(server, 'listening').then(
      () => false,
      () => true,
    )
    if (isTaken) continue
    onTestFinished(() => void server.close())
    return { url: `http://127.0.0.1:${port}/webhooks`, ids }
  }
  throw new Error('a program of this machine holds each of the ports')
}

test('posts to a port to which fetch does not connect', async () => {
  const api = await startFakeApi()
  const { url, ids } = await startOnRefusedPort()
  await api.payments.customers.create({ name: 'Awa' })
  const id = api.service.events()[0]?.id ?? ''
  expect(await runCli(['events', 'resend', id, '--to', url], api.merchant)).toMatchObject({ code: 0 })
  expect(ids).toEqual([id])
})

test('refuses an address with credentials, and does not repeat them', async () => {
  const api = await startFakeApi()
  for (const url of ['http://me:secret@127.0.0.1:1/', 'http://secret@127.0.0.1:1/', 'ftp://me:secret@a/']) {
    for (const args of [
      ['listen', '--forward-to', url],
      ['events', 'resend', 'evt_1', '--to', url],
    ]) {
      const { code, stderr } = await runCli(args, api.merchant)
      expect(code).toBe(2)
      expect(stderr).toMatch(/^--(?:forward-to|to) must /)
      expect(stderr).not.toContain('secret')
    }
  }
})

test('ends for a server that speaks no TLS, because waiting would not help', async () => {
  const api = await startFakeApi()
  const { url } = await startServer(200)
  const file = join(await temporaryFolder(), 'place.json')
  await writePlace(file, { cursor: null, secret: 'whsec' })
  await api.payments.customers.create({ name: 'Awa' })
  const secure = url.replace('http:', 'https:')
  const { code, stderr } = await runCli(['listen', '--forward-to', secure, '--state', file], api.merchant)
  expect(code).toBe(2)
  expect(stderr).toContain(`nothing can be posted to ${secure}: `)
})
