import { errorCodes, type FastifyInstance, type RequestPayload } from 'fastify'
import { cutBody } from './errors.ts'

/** A larger body is a 413 (spec 8). */
export const BODY_BYTES_MAX = 64 * 1024

/** The framework reads and bounds the bodies of these methods. It leaves other bodies, such as a GET's, unread. */
const readMethods: ReadonlySet<string> = new Set(['DELETE', 'OPTIONS', 'PATCH', 'POST', 'PUT', 'QUERY'])

/** Bounds bodies that the framework leaves unread: counts and drops their bytes. */
export function boundUnreadBodies(app: FastifyInstance): void {
  app.addHook('preParsing', ({ method, headers, routeOptions }, _reply, payload, done) => {
    // A route may take more, such as the part of a statement's file.
    const bytesMax = Math.max(BODY_BYTES_MAX, routeOptions.bodyLimit)
    if (Number(headers['content-length']) > bytesMax) done(tooLarge())
    else if (readMethods.has(method) || headers['transfer-encoding'] === undefined) done(null, payload)
    else countAndDrop(payload, (error) => done(error))
  })
}

function countAndDrop(payload: RequestPayload, done: (error: Error | null) => void): void {
  let bytes = 0
  const finish = (error: Error | null) => {
    payload.off('data', count).off('end', onEnd).off('error', onError)
    done(error)
  }
  const count = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > BODY_BYTES_MAX) finish(tooLarge())
  }
  const onEnd = () => finish(null)
  const onError = (cause: Error) => finish(cutBody(cause))
  payload.on('data', count).on('end', onEnd).on('error', onError)
}

const tooLarge = () => new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE()
