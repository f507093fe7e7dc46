import { expect, test } from 'vitest'
import { startFakeApi } from './fake-api.ts'
import { runCli } from './run-cli.ts'

const errorIn = (stderr: string): object => (JSON.parse(stderr) as { error: object }).error
const envelope = (code: string) =>
  JSON.stringify({ error: { type: 'invalid_request_error', code, message: 'No.' } })

test.each<[string, number, string, number]>([
  ['a page of another server', 404, '<html>', 69],
  ['an error of another server', 404, '{"error":{"message":"no such route"}}', 2],
  ['a path that the service does not have', 404, envelope('unknown_route'), 2],
  ['a method that the service does not have', 405, '', 69],
  ['a limit of an ingress', 429, 'slow down', 69],
  ['an object that the merchant does not have', 404, envelope('resource_missing'), 1],
  ['a state that forbids the call', 409, envelope('intent_canceled'), 1],
  ['a call that the rail does not know', 501, envelope('not_supported'), 1],
  ['a scope that the token lacks', 403, envelope('forbidden'), 77],
])('%s (%d) ends a command with its own code', async (_what, status, body, code) => {
  const api = await startFakeApi()
  api.fate = (_method, path) => (path.startsWith('/v1/events') ? { status, body } : null)
  const ran = await runCli(['events', 'get', 'evt_1', '--json'], api.merchant)
  expect(ran.code).toBe(code)
  expect(errorIn(ran.stderr)).toMatchObject({ status })
})

test.each([
  ['<html>', 69],
  ['{"error":{"message":"no such route"}}', 2],
])('a token endpoint that is not there (%s) is no declined payment', async (body, code) => {
  const api = await startFakeApi()
  api.fate = () => ({ status: 404, body })
  const ran = await runCli(['token'], api.merchant)
  expect(ran.code).toBe(code)
  expect(ran.stderr).toContain('--url')
})

test.each(['<html>not here</html>', 'null', '{"issuer":7}'])(
  'token tells why the client is refused although an ingress answers for the discovery document (%s)',
  async (body) => {
    const api = await startFakeApi()
    api.fate = (_method, path) =>
      path === '/v1/oauth/token'
        ? { status: 401, body: JSON.stringify({ error: 'invalid_client' }) }
        : { status: 404, body }
    const { code, stderr } = await runCli(['token'], api.merchant)
    expect(code).toBe(77)
    expect(stderr).toContain('thumbprint')
    expect(stderr).not.toContain('audience is wrong')
    expect(stderr).not.toContain('    at ')
  },
)
