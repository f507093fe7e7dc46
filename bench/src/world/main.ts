import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createRail } from './rail.ts'
import { createReceiver } from './receiver.ts'

// The outside of the system: the rail and the merchant's endpoint. Both are as light as possible, because
// they share the cores with what is measured.
//
// Usage: main.ts <port> <ms until the callback rail decides>
const RECEIVED_SINCE = '/received-since/'
const HANGING = '/hanging/'

const [port, decideAfterMs] = process.argv.slice(2).map(Number)
const rail = createRail(decideAfterMs ?? 0)
const receiver = createReceiver()

createServer((request, response) => void serve(request, response)).listen(port, '127.0.0.1')

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readText(request)
  const url = request.url ?? ''
  // Never answers; the service's own time-out ends the request.
  if (url.startsWith(HANGING)) return
  if (url === '/webhooks') receiver.take(body, response)
  else if (url === '/evidence')
    sendJson(response, { debits: rail.debits(), credits: rail.credits(), received: receiver.received() })
  else if (url === '/received-so-far') sendJson(response, receiver.soFar())
  else if (url.startsWith(RECEIVED_SINCE))
    sendJson(response, receiver.received().slice(Number(url.slice(RECEIVED_SINCE.length))))
  else if (url === '/ready') sendJson(response, {})
  else rail.answer(request, body, response)
}

function readText(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    request.on('end', () => resolve(text)).on('error', reject)
  })
}

function sendJson(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
