// Bundles the pages into dist/ (`pages`), or the tests of the pure parts into out/tests/ (`tests`).
// Asset names carry a hash of their content, so that browsers may keep them for ever.
import { build } from "esbuild";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL(".", import.meta.url));
const shared = {
  absWorkingDir: root,
  bundle: true,
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
};

async function buildPages() {
  const out = join(root, "dist");
  await rm(out, { recursive: true, force: true });
  const { metafile } = await build({
    ...shared,
    entryPoints: { console: "src/main.tsx" },
    outdir: join(out, "assets"),
    entryNames: "[name]-[hash]",
    minify: true,
    metafile: true,
    legalComments: "none",
    loader: { ".svg": "file" },
    publicPath: "/assets",
    assetNames: "[name]-[hash]",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const made = Object.keys(metafile.outputs).map((path) => basename(path));
  const asset = (ending) => {
    const found = made.find((name) => name.endsWith(ending));
    if (!found) throw new Error(`expected an asset *${ending}, found ${made.join(", ")}`);
    return `/assets/${found}`;
  };
  const page = await readFile(join(root, "src/index.html"), "utf8");
  await writeFile(
    join(out, "index.html"),
    page.replace("@SCRIPT@", asset(".js")).replace("@STYLE@", asset(".css")).replace("@ICON@", asset(".svg")),
  );
}

async function testsBelow(folder) {
  const found = [];
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) found.push(...(await testsBelow(path)));
    else if (/\.test\.tsx?$/.test(entry.name)) found.push(path);
  }
  return found;
}

async function buildTests() {
  const out = join(root, "out/tests");
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const tests = await testsBelow(join(root, "src"));
  await build({
    ...shared,
    entryPoints: tests.map((path) => relative(root, path)),
    outdir: out,
    outbase: join(root, "src"),
    outExtension: { ".js": ".mjs" },
    platform: "node",
    sourcemap: "inline",
  });
}

const wanted = process.argv[2] ?? "pages";
if (wanted === "tests") await buildTests();
else await buildPages();
