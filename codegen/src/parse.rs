//! Macro input to variants. Every error is collected, each with its span.

use std::collections::BTreeSet;

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Error, LitInt, Result, Token, bracketed, token};

use crate::spec::{Algorithm, AriaForm, AriaMode, CrcForm, CtrForm, KeySize, Variant, Width};

/// A description as a macro call gives it.
///
/// ```text
/// [crate = $crate;]
/// key: [128, 192, 256], by: [4, 8, 16], width: [xmm, ymm, zmm];
/// key: [128], form: [cached], by: [16], width: [zmm]
/// ```
/// A group, up to a semicolon, asks for every combination of its lists; there can be as many groups as one likes.
#[derive(Debug)]
pub struct Description {
    /// The path of the kernel crate, as seen from where the output goes.
    pub krate: TokenStream,
    /// The variants asked for, in the order of the lists.
    pub variants: Vec<Variant>,
}

/// The input of `aes_ctr!`.
///
/// # Errors
/// Everything that is wrong with it, combined: fields that are unknown, missing or given twice, values that no kernel
/// has, an N that a width does not allow, and variants asked for twice.
pub fn aes_ctr(input: TokenStream) -> Result<Description> {
    description(input, &["key", "form", "by", "width"], |group, errors| {
        let keys = group.list("key", &KEY_SIZES.listed(), errors);
        let forms = group.optional("form", &CTR_FORMS.listed(), errors);
        let forms = forms.map_or(vec![CtrForm::Plain], |forms| each(forms, errors, &CTR_FORMS));
        let keys = each(keys, errors, &KEY_SIZES);
        let alike = forms.into_iter().map(|form| Alike {
            one: Algorithm::AesCtr(KeySize::Aes128, form),
            asked: keys.iter().map(|&key| Algorithm::AesCtr(key, form)).collect(),
        });
        alike.collect()
    })
}

/// The input of `crc_fold!`.
///
/// # Errors
/// As of [`aes_ctr`].
pub fn crc_fold(input: TokenStream) -> Result<Description> {
    description(input, &["form", "by", "width"], |group, errors| {
        let forms = group.list("form", &CRC_FORMS.listed(), errors);
        let asked = each(forms, errors, &CRC_FORMS).into_iter().map(Algorithm::Crc).collect();
        vec![Alike { one: Algorithm::Crc(CrcForm::Lsb), asked }]
    })
}

/// The input of `aria!`.
///
/// # Errors
/// As of [`aes_ctr`].
pub fn aria(input: TokenStream) -> Result<Description> {
    description(input, &["mode", "form", "by", "width"], |group, errors| {
        let modes = group.list("mode", &ARIA_MODES.listed(), errors);
        let forms = group.optional("form", &ARIA_FORMS.listed(), errors);
        let forms = forms.map_or(vec![AriaForm::Gfni], |forms| each(forms, errors, &ARIA_FORMS));
        let modes = each(modes, errors, &ARIA_MODES);
        let alike = forms.into_iter().map(|form| Alike {
            one: Algorithm::Aria(AriaMode::Ecb, form),
            asked: modes.iter().map(|&mode| Algorithm::Aria(mode, form)).collect(),
        });
        alike.collect()
    })
}

/// Algorithms that allow the same N: what is wrong with one is said once.
struct Alike {
    one: Algorithm,
    asked: Vec<Algorithm>,
}

fn description(
    input: TokenStream,
    fields: &[&str],
    algorithms: impl Fn(&Group, &mut Errors) -> Vec<Alike>,
) -> Result<Description> {
    let parsed = syn::parse2::<Input>(input)?;
    let mut errors = Errors::default();
    let mut variants = Vec::new();
    let mut seen = BTreeSet::new();
    for group in &parsed.groups {
        let algorithms = algorithms(group, &mut errors);
        let by = group.list("by", "numbers of blocks in flight", &mut errors);
        let widths = group.list("width", &WIDTHS.listed(), &mut errors);
        group.only(fields, &mut errors);
        let by = each_with_span(by, &mut errors, unroll);
        let widths = each(widths, &mut errors, &WIDTHS);
        for &(by, by_span) in &by {
            for &width in &widths {
                for Alike { one, asked } in &algorithms {
                    if let Err(misfit) = Variant::new(*one, by, width) {
                        errors.push(by_span, misfit.to_string());
                        continue;
                    }
                    for &algorithm in asked {
                        match Variant::new(algorithm, by, width) {
                            Ok(variant) if seen.insert(variant) => variants.push(variant),
                            Ok(variant) => errors.push(by_span, format!("`{variant}` is asked for twice")),
                            Err(misfit) => errors.push(by_span, misfit.to_string()),
                        }
                    }
                }
            }
        }
    }
    errors.or(Description { krate: parsed.krate, variants })
}

struct Input {
    krate: TokenStream,
    groups: Vec<Group>,
}

struct Group {
    span: Span,
    fields: Vec<(Ident, Vec<Item>)>,
}

/// A number or a name in a list.
struct Item(TokenTree);

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let krate = if input.peek(Token![crate]) && input.peek2(Token![=]) {
            input.parse::<Token![crate]>()?;
            input.parse::<Token![=]>()?;
            // `$crate` is one token, a path is more
            let mut path = TokenStream::new();
            while !input.peek(Token![;]) {
                path.extend([input.parse::<TokenTree>()?]);
            }
            input.parse::<Token![;]>()?;
            path
        } else {
            quote!(crate)
        };
        let mut groups = Vec::new();
        loop {
            let span = input.span();
            let mut fields = Vec::new();
            while !input.is_empty() && !input.peek(Token![;]) {
                let name = Ident::parse_any(input)?;
                input.parse::<Token![:]>()?;
                if !input.peek(token::Bracket) {
                    return Err(input.error(format!("`{name}` takes a list in square brackets")));
                }
                let list;
                bracketed!(list in input);
                let items = Punctuated::<Item, Token![,]>::parse_terminated(&list)?;
                fields.push((name, items.into_iter().collect()));
                if input.is_empty() || input.peek(Token![;]) {
                    break;
                }
                input.parse::<Token![,]>()?;
            }
            groups.push(Group { span, fields });
            if input.is_empty() {
                break;
            }
            input.parse::<Token![;]>()?;
            if input.is_empty() {
                break;
            }
        }
        Ok(Input { krate, groups })
    }
}

impl Parse for Item {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        input.parse().map(Item)
    }
}

impl Group {
    fn list(&self, name: &str, what: &str, errors: &mut Errors) -> &[Item] {
        self.optional(name, what, errors).unwrap_or_else(|| {
            errors.push(self.span, format!("`{name}` is missing; it lists {what}"));
            &[]
        })
    }

    fn optional(&self, name: &str, what: &str, errors: &mut Errors) -> Option<&[Item]> {
        let mut named = self.fields.iter().filter(|(field, _)| field == name);
        let (first, items) = named.next()?;
        if items.is_empty() {
            errors.push(first.span(), format!("`{name}` is empty; it lists {what}"));
        }
        for (again, _) in named {
            errors.push(again.span(), format!("`{name}` is given twice"));
        }
        Some(items)
    }

    fn only(&self, names: &[&str], errors: &mut Errors) {
        for (field, _) in self.fields.iter().filter(|(field, _)| !names.iter().any(|name| field == name)) {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            errors.push(field.span(), format!("unknown field `{field}`; there are {}", names.join(", ")));
        }
    }
}

fn each<T: Copy>(items: &[Item], errors: &mut Errors, names: &Names<T>) -> Vec<T> {
    each_with_span(items, errors, |item| names.named(item)).into_iter().map(|(value, _)| value).collect()
}

fn each_with_span<T>(items: &[Item], errors: &mut Errors, of: impl Fn(&Item) -> Result<T>) -> Vec<(T, Span)> {
    let each = items.iter().map(|item| of(item).map(|value| (value, item.0.span())));
    each.filter_map(|value| value.map_err(|error| errors.add(error)).ok()).collect()
}

/// Values that go by names in lists.
struct Names<T: 'static> {
    /// What one of them is.
    what: &'static str,
    all: &'static [T],
    name: fn(T) -> String,
}

const KEY_SIZES: Names<KeySize> = Names { what: "key size", all: &KeySize::ALL, name: |key| key.bits().to_string() };
const CTR_FORMS: Names<CtrForm> = Names { what: "form", all: &CtrForm::ALL, name: |form| form.name().to_owned() };
const CRC_FORMS: Names<CrcForm> = Names { what: "form", all: &CrcForm::ALL, name: |form| form.name().to_owned() };
const ARIA_MODES: Names<AriaMode> = Names { what: "mode", all: &AriaMode::ALL, name: |mode| mode.name().to_owned() };
const ARIA_FORMS: Names<AriaForm> = Names { what: "form", all: &AriaForm::ALL, name: |form| form.name().to_owned() };
const WIDTHS: Names<Width> = Names { what: "width", all: &Width::ALL, name: |width| width.name().to_owned() };

impl<T: Copy> Names<T> {
    fn named(&self, item: &Item) -> Result<T> {
        let text = item.0.to_string();
        let known = self.all.iter().copied().find(|&value| (self.name)(value) == text);
        known.ok_or_else(|| item.error(&format!("unknown {} `{text}`; there are {}", self.what, self.all())))
    }

    /// What a list of them holds.
    fn listed(&self) -> String {
        format!("{}s: {}", self.what, self.all())
    }

    fn all(&self) -> String {
        let names: Vec<String> = self.all.iter().map(|&value| format!("`{}`", (self.name)(value))).collect();
        names.join(", ")
    }
}

fn unroll(item: &Item) -> Result<usize> {
    syn::parse2::<LitInt>(item.0.to_token_stream())
        .and_then(|number| number.base10_parse())
        .map_err(|_| item.error(&format!("`{}` is no number of blocks; try `4`, `8` or `16`", item.0)))
}

impl Item {
    fn error(&self, message: &str) -> Error {
        Error::new(self.0.span(), message)
    }
}

#[derive(Default)]
struct Errors(Option<Error>);

impl Errors {
    fn push(&mut self, span: Span, message: String) {
        self.add(Error::new(span, message));
    }

    fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    fn or<T>(self, value: T) -> Result<T> {
        self.0.map_or(Ok(value), Err)
    }
}
