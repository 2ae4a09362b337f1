// What part of the graph is seen: a pixel of the screen is (unit of the layout − origin) × scale.

export interface View {
  readonly x: number; // the unit at the upper left corner
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export interface Box extends Size {
  readonly x: number;
  readonly y: number;
}

export const kLeastScale = 0.08;
export const kMostScale = 3;
const kRevealMargin = 24;

const within = (value: number, least: number, most: number) => Math.max(least, Math.min(most, value));

export function pan(view: View, dx: number, dy: number): View {
  return { ...view, x: view.x - dx / view.scale, y: view.y - dy / view.scale };
}

// The unit under (px, py) stays where it is.
export function zoomAt(view: View, factor: number, px: number, py: number): View {
  const scale = within(view.scale * factor, kLeastScale, kMostScale);
  return { x: view.x + px / view.scale - px / scale, y: view.y + py / view.scale - py / scale, scale };
}

// All of it, but never larger than life.
export function fitAll(content: Size, screen: Size): View {
  const scale = within(Math.min(screen.width / content.width, screen.height / content.height), kLeastScale, 1);
  return center({ x: 0, y: 0, width: content.width, height: content.height }, screen, scale);
}

// All of it where that can be read, else its newest end: the lower right corner.
export function fitNewest(content: Size, screen: Size, readable: number): View {
  const all = fitAll(content, screen);
  if (all.scale >= readable) return all;
  const scale = within(screen.width / content.width, readable, 1);
  const spare = screen.width / scale - content.width;
  return { x: spare > 0 ? -spare / 2 : -spare, y: Math.max(0, content.height - screen.height / scale), scale };
}

export function center(box: Box, screen: Size, scale: number): View {
  return {
    x: box.x + box.width / 2 - screen.width / scale / 2,
    y: box.y + box.height / 2 - screen.height / scale / 2,
    scale,
  };
}

// Moves as little as needed to see the box.
export function reveal(view: View, box: Box, screen: Size): View {
  const margin = kRevealMargin / view.scale;
  const along = (origin: number, extent: number, start: number, size: number) => {
    if (start - margin < origin) return start - margin;
    if (start + size + margin > origin + extent) return start + size + margin - extent;
    return origin;
  };
  return {
    ...view,
    x: along(view.x, screen.width / view.scale, box.x, box.width),
    y: along(view.y, screen.height / view.scale, box.y, box.height),
  };
}

// A corner of the graph always stays on the screen.
export function keepInReach(view: View, content: Size, screen: Size): View {
  const width = screen.width / view.scale;
  const height = screen.height / view.scale;
  return {
    ...view,
    x: within(view.x, -width * 0.8, Math.max(-width * 0.8, content.width - width * 0.2)),
    y: within(view.y, -height * 0.8, Math.max(-height * 0.8, content.height - height * 0.2)),
  };
}

export function toContent(view: View, px: number, py: number): { x: number; y: number } {
  return { x: view.x + px / view.scale, y: view.y + py / view.scale };
}
