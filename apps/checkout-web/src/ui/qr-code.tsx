import { generate } from 'lean-qr'

/** Light modules around a code, which its readers need (ISO/IEC 18004). */
const QUIET_MODULES = 4

/** One path of a drawn code: the text itself is nowhere in the page. */
export function QrCode({ text }: { readonly text: string }) {
  const code = generate(text)
  const at = Array.from({ length: code.size }, (_, index) => index)
  const modules = at.flatMap((y) => at.flatMap((x) => (code.get(x, y) ? [`M${x} ${y}h1v1h-1z`] : [])))
  const side = code.size + 2 * QUIET_MODULES
  return (
    <svg
      viewBox={`${-QUIET_MODULES} ${-QUIET_MODULES} ${side} ${side}`}
      className="qr"
      aria-hidden="true"
      shapeRendering="crispEdges"
    >
      <path d={modules.join('')} />
    </svg>
  )
}
