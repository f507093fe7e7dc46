import type { Child } from '@merchant-payments/stack'

/** Runs the process until its fault point kills it, perhaps before it is ready. */
export async function endOf(child: Child, env: Record<string, string>): Promise<string | null> {
  try {
    await child.restart(env)
  } catch (error) {
    if (error instanceof Error && error.message.includes('it ended with SIGKILL')) return 'SIGKILL'
    throw error
  }
  return (await child.exited).signal
}
