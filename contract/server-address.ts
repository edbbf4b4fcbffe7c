/** The address of a server, as somebody gives it; null where it is none: `localhost:8464` reads as one, of the scheme `localhost`. */
export function parseServerAddress(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && /^https?:$/.test(url.protocol) ? url : null;
}
