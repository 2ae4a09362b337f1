// Devices that report to the hub: what they booted, what their data is, and what the next boot will do with it.
import type { JSX } from "preact";
import { useWatch } from "../api/kube";
import { Ago, Badge, Empty, Facts, Page, Section } from "../components/basic";
import { Command } from "../components/command";
import { Table } from "../components/table";
import { Watched } from "../components/watched";
import { hrefTo } from "../router";
import { type Backup, type Boot, type Device, bootsOf, kDevices, standingOf } from "../devices/view";
import { formatBytes } from "../time";

export function DevicesPage({ hub }: { readonly hub: string }): JSX.Element {
  const devices = useWatch<Device>(hub, kDevices.groupVersion, kDevices.resource);
  return (
    <Page title="Devices">
      <DeviceStates devices={devices}>{(items) => (items.length === 0 ? <NoDevices /> : <DeviceTable items={items} />)}</DeviceStates>
    </Page>
  );
}

// A hub without the kind has no devices, which is no error.
function DeviceStates({ devices, children }: {
  readonly devices: ReturnType<typeof useWatch<Device>>;
  readonly children: (items: readonly Device[]) => JSX.Element;
}): JSX.Element {
  if (devices.state === "failed" && devices.problem?.status === 404) return <NoDevices />;
  return (
    <Watched what="devices" view={devices}>
      {children}
    </Watched>
  );
}

function NoDevices(): JSX.Element {
  return (
    <Empty title="No device has reported">
      <p>A device whose data is guarded around updates tells the hub how it stands:</p>
      <Command label="On the device" text="fairway device report --kubeconfig hub.kubeconfig" />
    </Empty>
  );
}

function DeviceTable({ items }: { readonly items: readonly Device[] }): JSX.Element {
  return (
    <Table
      caption="Devices"
      rows={items}
      keyOf={(device) => device.metadata.name}
      columns={[
        { title: "Device", cell: (device) => <a href={hrefTo(["devices", device.metadata.name])}>{device.metadata.name}</a> },
        { title: "State", cell: (device) => <Badge tone={standingOf(device).tone}>{standingOf(device).word}</Badge> },
        { title: "Version", cell: (device) => device.status?.version },
        { title: "Data", cell: (device) => device.status?.dataVersion || device.status?.data },
        { title: "Next boot", cell: (device) => device.status?.nextBoot?.action },
        { title: "Backups", cell: (device) => String(device.status?.backups?.length ?? 0) },
        { title: "Reported", cell: (device) => device.status?.reportedAt && <Ago at={device.status.reportedAt} /> },
      ]}
    />
  );
}

export function DevicePage({ hub, name }: { readonly hub: string; readonly name: string }): JSX.Element {
  const devices = useWatch<Device>(hub, kDevices.groupVersion, kDevices.resource);
  return (
    <Page title={name} crumbs={<a href="#/devices">Devices</a>}>
      <DeviceStates devices={devices}>
        {(items) => {
          const found = items.find((each) => each.metadata.name === name);
          return found ? <DeviceDetail device={found} /> : <Empty title={`There is no device "${name}"`} />;
        }}
      </DeviceStates>
    </Page>
  );
}

function DeviceDetail({ device }: { readonly device: Device }): JSX.Element {
  const status = device.status ?? {};
  const standing = standingOf(device);
  return (
    <>
      <div class="panel stack">
        <p role="status">
          <Badge tone={standing.tone}>{standing.word}</Badge> <span class="breakable">{standing.message}</span>
        </p>
        <Facts
          rows={[
            ["About it", device.spec?.description],
            ["Version", status.version],
            ["Data", status.data || status.dataVersion],
            ["Data was written by", status.dataVersion],
            ["Booted system", status.deployment && <code>{status.deployment}</code>],
            ["Boot", status.boot && <BootId id={status.boot} />],
            ["Reported", status.reportedAt && <Ago at={status.reportedAt} />],
          ]}
        />
      </div>
      <Section title="Next boot">
        <p class={status.interrupted ? "note note-warn" : "panel"}>
          {status.nextBoot?.action ? <span class="strong">{status.nextBoot.action}</span> : "Nothing is asked of it."}
          {status.nextBoot?.reason && ` (${status.nextBoot.reason})`}
          {status.interrupted && " A change of the data was cut off; it is finished or discarded then."}
        </p>
      </Section>
      <Section title="Backups">
        <BackupTable backups={status.backups ?? []} />
      </Section>
      <Section title="Boots">
        <BootList boots={bootsOf(device)} />
      </Section>
    </>
  );
}

function BackupTable({ backups }: { readonly backups: readonly Backup[] }): JSX.Element {
  if (backups.length === 0) return <p class="quiet">There are none.</p>;
  return (
    <Table
      caption="Backups of the data"
      rows={backups}
      keyOf={(backup) => backup.name}
      columns={[
        {
          title: "Backup",
          cell: (backup) => (
            <>
              <code>{backup.name}</code> {backup.latest && <Badge tone="info">latest</Badge>}
            </>
          ),
        },
        { title: "Can be restored", cell: (backup) => (backup.complete ? <Badge tone="good">yes</Badge> : <Badge tone="bad">no</Badge>) },
        { title: "Version", cell: (backup) => backup.version },
        { title: "System", cell: (backup) => backup.deployment && <code>{backup.deployment}</code> },
        { title: "Number", cell: (backup) => backup.sequence },
        { title: "Size", cell: (backup) => (backup.bytes === undefined ? "" : formatBytes(backup.bytes)) },
        { title: "Problem", cell: (backup) => backup.problem },
      ]}
    />
  );
}

function BootList({ boots }: { readonly boots: readonly Boot[] }): JSX.Element {
  if (boots.length === 0) return <p class="quiet">Nothing is on record.</p>;
  return (
    <ol class="stack plain" aria-label="Boots, newest first">
      {boots.map((boot) => (
        <li key={boot.id} class="panel stack">
          <div class="section-head">
            <h3>
              Boot <BootId id={boot.id} />
            </h3>
            {boot.deployment && (
              <span class="quiet">
                of <code>{boot.deployment}</code>
              </span>
            )}
            {boot.outcome && <Badge tone={boot.outcome === "green" ? "good" : "bad"}>{boot.outcome}</Badge>}
          </div>
          <ul class="plain">
            {boot.entries.map((entry, index) => (
              <li key={index}>
                <span class="strong">{entry.event ?? "event"}</span>
                {entry.result && entry.result !== "done" && (
                  <>
                    {" "}
                    <Badge tone="bad">{entry.result}</Badge>
                  </>
                )}
                <Actions actions={entry.actions ?? []} />
                {entry.error && <p class="bad-text breakable">{entry.error}</p>}
              </li>
            ))}
          </ul>
        </li>
      ))}
    </ol>
  );
}

// Boots have ids of 32 digits; the first few tell them apart.
function BootId({ id }: { readonly id: string }): JSX.Element {
  return <code title={id}>{id.slice(0, 8)}</code>;
}

function Actions({ actions }: { readonly actions: readonly string[] }): JSX.Element {
  if (actions.length === 0) return <>: nothing had to be done</>;
  return (
    <ul class="boot-actions">
      {actions.map((action, index) => (
        <li key={index} class="breakable">
          {action}
        </li>
      ))}
    </ul>
  );
}
