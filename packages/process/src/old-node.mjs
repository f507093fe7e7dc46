/** The oldest Node that runs the servers' sources as they are. */
export const NODE_MAJOR_MIN = 24

/** EX_CONFIG of sysexits.h: no start succeeds until somebody changes something here. */
const EXIT_CONFIG = 78

/**
 * Ends the process with one log line if this Node is too old. An older Node cannot read TypeScript, so this file and
 * the servers' start.mjs are JavaScript that it understands.
 *
 * @param {'api' | 'worker'} app
 */
export function refuseOldNode(app) {
  const version = process.versions.node
  if (parseInt(version, 10) >= NODE_MAJOR_MIN) return
  const line = {
    level: 'fatal',
    // oxlint-disable-next-line no-restricted-properties -- clock.ts is TypeScript
    time: Date.now(),
    app,
    reason: 'node_too_old',
    hint: `Node ${version} is too old: use Node ${NODE_MAJOR_MIN} or newer`,
    msg: 'start refused',
  }
  process.stdout.write(`${JSON.stringify(line)}\n`)
  process.exit(EXIT_CONFIG)
}
