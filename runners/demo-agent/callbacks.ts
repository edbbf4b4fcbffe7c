/** Reads the envelopes in which the answers of ASYNC_CALLBACK children come. */

export interface ReceivedCallback {
  name: string;
  status: string;
  errorCode: string | null;
  body: string;
}

/** Empty when the turn brought a message instead. */
export function readCallbacks(prompt: string): ReceivedCallback[] {
  const envelopes = prompt.matchAll(/<agent-callback\b([^>]*)>([\s\S]*?)<\/agent-callback>/g);
  return [...envelopes].map(([, attributes = '', body = '']) => {
    const attribute = (name: string) => {
      const value = new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1];
      return value === undefined ? null : unescape(value);
    };
    return {
      name: attribute('title') ?? attribute('invocation') ?? attribute('id') ?? 'a child',
      status: attribute('status') ?? 'ended',
      errorCode: attribute('error-code'),
      body: unescape(body).trim(),
    };
  });
}

/** `&amp;` last, so that what was escaped twice is unescaped once. */
function unescape(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
