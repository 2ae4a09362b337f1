// Times as people say them. Pure.

// "2m ago" counts minutes: the larger two units that matter, like kubectl.
export function formatDuration(millis: number): string {
  const seconds = Math.max(0, Math.floor(millis / 1000));
  const [d, h, m, s] = [Math.floor(seconds / 86400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
  if (d >= 7) return `${d}d`;
  if (d > 0) return h > 0 ? `${d}d ${h}h` : `${d}d`;
  if (h > 0) return m > 0 ? `${h}h ${m}m` : `${h}h`;
  if (m >= 10) return `${m}m`;
  if (m > 0) return s > 0 ? `${m}m ${s}s` : `${m}m`;
  return `${s}s`;
}

export function formatAgo(then: number, now: number): string {
  return now - then < 1000 ? "just now" : `${formatDuration(now - then)} ago`;
}

export function formatLeft(end: number, now: number): string {
  return end <= now ? "time is over" : `${formatDuration(end - now)} left`;
}

// How long a text made now stays true, in milliseconds.
export function changesAfter(distance: number): number {
  const millis = Math.abs(distance);
  if (millis < 600_000) return 1_000;
  return millis < 86_400_000 ? 15_000 : 300_000;
}

export function parseTime(text: string | undefined): number | undefined {
  if (!text) return undefined;
  const millis = Date.parse(text);
  return Number.isNaN(millis) ? undefined : millis;
}

// "2026-11-16 16:57:11 UTC", which sorts and is the same for everyone.
export function formatTime(millis: number): string {
  return `${new Date(millis).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
