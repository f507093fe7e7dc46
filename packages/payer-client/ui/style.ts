/**
 * The form's styles. A page sets `--payment-form-…` to change the look. Colors follow the page's own `color-scheme`
 * where the browser knows `light-dark()`, so that a light page stays light on a dark phone.
 */
export const style = `
:host{display:block;--a:var(--payment-form-accent,#0b5d3b);--on:var(--payment-form-on-accent,#fff);--i:var(--payment-form-ink,#14201a);--q:var(--payment-form-quiet,#4b5750);--g:var(--payment-form-ground,#fff);--l:var(--payment-form-line,#737d76);--b:var(--payment-form-alert,#8f1d14);--bg:var(--payment-form-alert-ground,#fdeceb);--wg:var(--payment-form-wait-ground,#fff6dc);--r:var(--payment-form-radius,.75rem);color:var(--i);background:var(--g);font:var(--payment-form-font,1.0625rem/1.5 system-ui,sans-serif);overflow-wrap:anywhere}
@supports(color:light-dark(#000,#fff)){:host{--a:var(--payment-form-accent,light-dark(#0b5d3b,#7fd6a8));--on:var(--payment-form-on-accent,light-dark(#fff,#0b1410));--i:var(--payment-form-ink,light-dark(#14201a,#eef2ef));--q:var(--payment-form-quiet,light-dark(#4b5750,#b4c0b8));--g:var(--payment-form-ground,light-dark(#fff,#19201c));--l:var(--payment-form-line,light-dark(#737d76,#859089));--b:var(--payment-form-alert,light-dark(#8f1d14,#ffb4ab));--bg:var(--payment-form-alert-ground,light-dark(#fdeceb,#3b1613));--wg:var(--payment-form-wait-ground,light-dark(#fff6dc,#2e2711))}}
:host([hidden]){display:none}
*{box-sizing:border-box}
h2{margin:0 0 1rem;font-size:1.25em;line-height:1.3}
h2:focus{outline:0}
h3{margin:0;font-size:1em}
p{margin:0 0 .75rem}
.note{margin-top:.75rem;color:var(--q);font-size:.9em}
.alert,.wait{padding:.75rem 1rem;border-radius:var(--r)}
.alert{background:var(--bg);color:var(--b);font-weight:600}
.wait{background:var(--wg)}
.wait :last-child{margin:0}
.strong{font-weight:600}
button,.button{display:block;width:100%;min-height:3.25rem;margin:.75rem 0 0;padding:.75rem 1rem;border:1px solid var(--a);border-radius:var(--r);background:var(--a);color:var(--on);font:inherit;font-weight:700;text-align:center;text-decoration:none;cursor:pointer}
.plain{background:0 0;color:var(--a)}
[aria-disabled=true]{cursor:progress;opacity:.85}
:focus-visible{outline:3px solid var(--a);outline-offset:3px}
label,legend{display:block;padding:0;font-weight:600}
input[type=tel]{width:100%;min-height:3.25rem;margin:.5rem 0;padding:.5rem .875rem;border:1px solid var(--l);border-radius:var(--r);background:var(--g);color:inherit;font:inherit;font-size:1.2em}
[aria-invalid=true]{border-color:var(--b)!important}
fieldset{margin:1.25rem 0;padding:0;border:0}
.choice{display:flex;align-items:center;gap:.75rem;min-height:3.25rem;margin-top:.5rem;padding:.5rem .875rem;border:1px solid var(--l);border-radius:var(--r)}
.choice input{flex:none;width:1.25rem;height:1.25rem;margin:0;accent-color:var(--a)}
.mark{flex:none;width:1.75rem;border-radius:.375rem;font-weight:700;line-height:1.75rem;text-align:center}
.help{margin:1rem 0;padding:1rem;border:1px solid var(--l);border-radius:var(--r)}
ol{margin:.5rem 0 0;padding-left:1.5rem}
.spoken{position:absolute;width:1px;height:1px;margin:0;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.banner{padding:.75rem 1rem;border-radius:var(--r);background:var(--i);color:var(--g)}
`
