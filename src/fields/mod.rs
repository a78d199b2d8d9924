//! The query fields: one row each, written once. From the rows come the parser of a field list, the near
//! match for a misspelt name, CSV headers, JSON keys, `--help-query-*`, completions and the docs. A new
//! field is a new row in the file of its section; being in the table is its registration.
//!
//! A row of a section is `"name" [unit], "alias": "what it says" => how it is read;`.

/// Rows of a section, from their short form.
macro_rules! fields {
    ($( $name:literal $([$unit:ident])? $(, $alias:literal)* : $doc:literal => $get:expr; )*) => {
        &[$($crate::fields::Field {
            name: $name,
            aliases: &[$($alias),*],
            unit: fields!(@unit $($unit)?),
            doc: $doc,
            get: $get,
        }),*]
    };
    (@unit) => { None };
    (@unit $unit:ident) => { Some($crate::value::Unit::$unit) };
}

/// The fields that every query but `--query-gpu` begins with: when, and of which device a row is. Their
/// names keep the `gpu_` that is only an alias there.
macro_rules! device_fields {
    () => {
        fields! {
            "timestamp": "Local time at which this sample was begun, to the millisecond."
                => |row| Ok($crate::value::Value::Text(row.device.now.stamp().into()));
            "gpu_name": "Product name of the device."
                => |row| Ok($crate::value::Value::Text(row.device.gpu.ask($crate::driver::calls::Name)?));
            "gpu_bus_id": "Place of the device on the PCI bus: domain, bus, device and function."
                => |row| Ok($crate::value::Value::Text(row.device.gpu.pci()?.bus_id));
            "gpu_serial": "Serial number of the device, the one on the board's sticker."
                => |row| Ok($crate::value::Value::Text(row.device.gpu.ask($crate::driver::calls::Serial)?));
            "gpu_uuid": "Identifier that stays with the device and that no other device has."
                => |row| Ok($crate::value::Value::Text(row.device.gpu.ask($crate::driver::calls::Uuid)?));
        }
    };
}

pub mod accounted_apps;
pub mod compute_apps;
pub mod gpu;
pub mod remapped_rows;
pub mod retired_pages;
pub mod supported_clocks;

#[cfg(test)]
mod tests;

use crate::value::{Reading, Unit};

/// A query: what its records are.
pub trait Query: 'static {
    /// One record.
    type Row<'a>;

    /// Shows the records of a device, in their order.
    fn visit(device: &gpu::Row, see: &mut dyn FnMut(&Self::Row<'_>));
}

/// A record of a device that may have several, or none.
pub struct Item<'a, T> {
    /// The device, at a moment.
    pub device: &'a gpu::Row<'a>,
    /// What this record is about.
    pub item: T,
}

/// One field of a query.
pub struct Field<Q: Query> {
    /// The canonical name, which headers and JSON keys use.
    pub name: &'static str,
    /// Other names that are accepted.
    pub aliases: &'static [&'static str],
    /// The unit of its numbers.
    pub unit: Option<Unit>,
    /// What it says, in one line.
    pub doc: &'static str,
    /// Reads it off a record.
    pub get: for<'a, 'b> fn(&'b Q::Row<'a>) -> Reading,
}

impl<Q: Query> Field<Q> {
    /// The header of its column: the name, with the unit where there is one.
    pub fn header(&self) -> String {
        match self.unit {
            Some(unit) => format!("{} [{}]", self.name, unit.symbol()),
            None => self.name.to_owned(),
        }
    }

    /// True for its name and each of its aliases; case matters, as in nvidia-smi.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

impl<Q: Query> std::fmt::Debug for Field<Q> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// Fields that belong together, with the heading that help gives them.
pub struct Section<Q: Query> {
    /// The heading.
    pub title: &'static str,
    /// The fields, in the order in which help lists them.
    pub fields: &'static [Field<Q>],
}

/// All fields of one query.
pub struct Registry<Q: Query> {
    /// The switch that asks for it, without dashes: `query-gpu`.
    pub switch: &'static str,
    /// The fields by section.
    pub sections: &'static [&'static Section<Q>],
}

impl<Q: Query> Registry<Q> {
    /// All fields in order.
    pub fn fields(&self) -> impl Iterator<Item = &'static Field<Q>> + use<Q> {
        self.sections.iter().flat_map(|section| section.fields)
    }

    /// The field with this name or alias.
    pub fn find(&self, name: &str) -> Option<&'static Field<Q>> {
        self.fields().find(|field| field.is_called(name))
    }

    /// Every name that is accepted.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<Q> {
        self.fields().flat_map(|field| std::iter::once(field.name).chain(field.aliases.iter().copied()))
    }

    /// Reads a field list such as `index,memory.used`. A comma at the end is passed over and an empty
    /// list asks for nothing; spaces are part of a name, and case matters.
    ///
    /// # Errors
    /// The first name that is no field.
    pub fn parse(&self, list: &str) -> Result<Vec<&'static Field<Q>>, UnknownField> {
        let names = list.split(',').filter(|name| !name.is_empty());
        names.map(|name| self.find(name).ok_or_else(|| UnknownField(name.to_owned()))).collect()
    }
}

/// A name that is no field of the query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownField(pub String);
