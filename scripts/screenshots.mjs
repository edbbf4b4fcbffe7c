/** Takes the pictures in docs/ from the demo: `node scripts/screenshots.mjs`. Needs a chromium. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { withKeptDemo } from './kept-demo.mjs';

const folder = fileURLToPath(new URL('../docs/images', import.meta.url));
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** Columns of the list: Temporal UI keeps a person's own choice in the browser. */
const dropped = ['Run ID', 'Type', 'Start', 'End'];
const added = ['OffshootTitle', 'OffshootMode', 'OffshootRunner', 'OffshootParentSession'];

await withKeptDemo(takePictures);

async function takePictures({ items, temporal }) {
  mkdirSync(folder, { recursive: true });
  const parent = items.find((item) => item.depth === 0);
  const middle = items.find((item) => item.title === 'Write the changelog');
  const failed = items.find((item) => item.status === 'failed');
  const ui = `${temporal.uiUrl}/namespaces/${temporal.namespace}/workflows`;
  const browser = await chromium.launch({
    executablePath,
    args: ['--headless', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
  const page = await browser.newPage({ viewport: { width: 1680, height: 900 } });
  const settle = () => page.waitForTimeout(1000);
  /** Only of a page that shows what it is taken for. */
  const shoot = async (name, ...texts) => {
    for (const text of texts) await untilShown(page, text);
    await settle();
    await page.screenshot({ path: join(folder, `${name}.png`) });
  };
  const openRun = async (id, tab) => {
    await page.goto(`${ui}/${encodeURIComponent(`subagent/${id}`)}`);
    await page.waitForURL(/[0-9a-f]{8}-[0-9a-f-]{27}/);
    await page.goto(page.url().replace(/[^/]+$/, tab));
    await settle();
  };

  await page.goto(ui);
  await page.getByText('Workflows').first().waitFor();
  await settle();
  await page.getByTestId('workflows-summary-table-configuration-button').click();
  for (const name of dropped)
    await page.getByTestId(`orderable-list-item-${name}-remove-button`).click();
  for (const name of added)
    await page.getByTestId(`orderable-list-item-${name}-add-button`).click();
  await page.getByTestId('drawer-close-button').click();
  await page.getByLabel('Collapse saved views').click();
  await settle();
  await shoot('temporal-list', parent.title, middle.title, 'ASYNC_CALLBACK');
  await openRun(parent.id, 'relationships');
  await page.getByText('Expand All').click();
  await shoot('temporal-tree', `subagent/${middle.id}`);
  await openRun(middle.id, 'timeline');
  await shoot('temporal-timeline', 'Collect merged changes', `demo: ${middle.title}`);
  await openRun(middle.id, 'user-metadata');
  await shoot(
    'temporal-workflow',
    `demo · ASYNC_CALLBACK · ${middle.title}`,
    'Asked by',
    'completed',
  );
  await openRun(failed.id, 'timeline');
  await shoot('temporal-failed', `demo: ${failed.title}`, failed.error);
  await browser.close();
}

/** Temporal UI shows Markdown in frames of its own. */
async function untilShown(page, text) {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline) {
    for (const frame of page.frames()) {
      const found = frame.getByText(text).first();
      if (await found.isVisible().catch(() => false)) return;
    }
    await page.waitForTimeout(200);
  }
  throw new Error(`${page.url()} never showed ${text}`);
}
